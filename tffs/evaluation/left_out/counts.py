"""Which numbers of features a curve over K is measured at."""

EACH = 10  # every number of features up to this one is measured
MOST_MEASURED = 400  # features that are measured for a point of the curve, beside K and all


def curve_counts(num_features: int, num_selected: int) -> tuple[int, ...]:
    """Give 0, 1, 2, ... 10, 13, 21, 34, ... M, and K."""
    counts = {0, num_selected, num_features, *range(min(EACH, num_features) + 1)}
    small, large = 13, 21
    while small < min(num_features, MOST_MEASURED):
        counts.add(small)
        small, large = large, small + large
    return tuple(sorted(counts))
