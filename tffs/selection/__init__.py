"""From log_alpha to features: which feature each of the K selectors takes."""

from tffs.selection.select import SELECTIONS, distinct_count, scores_of, select, values_of

__all__ = ["SELECTIONS", "distinct_count", "scores_of", "select", "values_of"]
