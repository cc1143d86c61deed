"""Unsupervised feature selection that others proposed, to compare with."""
