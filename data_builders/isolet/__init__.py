"""The dataset isolet."""
