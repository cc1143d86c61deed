"""The paper's tables and figures, made from the lines in results/: python -m reproduction.page."""
