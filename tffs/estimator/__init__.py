"""tffs as scikit-learn knows estimators."""
