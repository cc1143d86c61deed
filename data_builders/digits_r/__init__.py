"""Rotated handwritten digits, made from the copy that scikit-learn ships."""
