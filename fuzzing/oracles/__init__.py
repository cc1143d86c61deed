"""What other programs read in the same bytes: Python's csv and gzip, pandas, NumPy, Arrow."""
