"""Pictures of what was measured on tasks that a posterior has not seen."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tffs.canvas import canvas, write
from tffs.evaluation.error_curve import draw_error_curve
from tffs.evaluation.feature_chart import draw_feature_errors
from tffs.printable import printable

CURVE = "curve.png"
OFTEN = 0.5  # a feature that is chosen for more than this share of the tasks is drawn as chosen


def draw_curve(path: str, curve: Sequence[dict[str, Any]], where: str) -> None:
    """Draw the error that is left over the number of measured features, into a PNG.

    Args:
        path: the PNG to write.
        curve: what result.json holds of it.
        where: which tasks it is of.
    """
    figure = canvas(7.0, 4.2)
    draw_error_curve(figure.subplots(), measured=curve)
    figure.suptitle(printable(where), fontsize=9, parse_math=False)
    write(figure, path)


def draw_features(path: str, features: Sequence[dict[str, Any]], where: str) -> None:
    """Draw how well each feature is known where it is not measured, into a PNG; those chosen often are known.

    Args:
        path: the PNG to write.
        features: what result.json holds of them.
        where: which tasks it is of.
    """
    chosen = [place for place, line in enumerate(features) if line["chosen"] > OFTEN]
    errors = [np.nan if line["share"] is None else line["share"] for line in features]
    for place in chosen:
        errors[place] = 0.0
    names = [line["feature"] for line in features]
    draw_feature_errors(path, names, np.asarray(errors), chosen, where)
