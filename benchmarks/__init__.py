"""Measurements, each a command whose committed result says how it was made."""
