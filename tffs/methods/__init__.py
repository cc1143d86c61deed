"""How a model, or a choice of features, is fitted to a settled run: by name in one catalogue."""
