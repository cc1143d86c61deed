"""The error that is left over the number of measured features: from which number on little is gained."""

from collections.abc import Sequence

LITTLE = 0.1  # of what measuring everything would gain


def suggested(errors: Sequence[float]) -> int:
    """Suggest how many features to measure: the least number after which little is gained.

    Little is at most a tenth of what all features gain together. So the suggestion does not depend on how many
    features there are that tell nothing.

    Args:
        errors: the error that is left with no feature, with the first, with the first two ...: at least one.

    Returns:
        How many, at least 1 unless there is none to measure.
    """
    floor = min(errors)
    little = floor + LITTLE * (errors[0] - floor)
    first = next(count for count, error in enumerate(errors) if error <= little)
    return max(first, min(1, len(errors) - 1))
