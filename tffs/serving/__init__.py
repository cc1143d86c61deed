"""The exported SavedModel: writing it, and using it for selection."""
