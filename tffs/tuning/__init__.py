"""Hyperparameter search: space and budget, keras-tuner's oracles, processes, and what comes out."""
