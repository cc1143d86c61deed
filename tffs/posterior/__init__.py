"""Fit the task posterior to source tasks: sums over their rows, and what is left to choose."""
