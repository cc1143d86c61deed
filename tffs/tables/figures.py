"""All figures of the page."""

import contextlib
import os
from collections.abc import Sequence

from tffs.tables.digit_pictures import choose_pictures, draw_all, draw_few
from tffs.tables.drawing import Drawing
from tffs.tables.metric_curves import draw_metric
from tffs.tables.names import METRICS
from tffs.tables.paper import MAIN
from tffs.tables.records import Picture, Result
from tffs.tables.t_curves import draw_t_dependence


def draw_figures(
    results: Sequence[Result], pictures: Sequence[Picture], folder: str
) -> dict[str, Drawing | None]:
    """Draw what there is data for; what an earlier call drew and there is none for now is removed.

    Returns:
        The figures by title, None for one that was not drawn.
    """
    os.makedirs(folder, exist_ok=True)
    digits = choose_pictures(pictures)
    names = {f"{METRICS[metric].title.split()[0]} against K": f"{metric}.png" for metric in MAIN}
    names["Dependence on T"] = "t_dependence.png"
    names["Reconstructed digits and chosen pixels"] = "mnist_r_selected.png"
    names["One digit of each class"] = "mnist_r_digits.png"
    paths = [os.path.join(folder, name) for name in names.values()]
    drawn = [
        *(draw_metric(results, metric, path) for metric, path in zip(MAIN, paths, strict=False)),
        draw_t_dependence(results, paths[-3]),
        draw_few(digits, paths[-2]),
        draw_all(digits, paths[-1]),
    ]
    for path, drawing in zip(paths, drawn, strict=True):
        if drawing is None:
            with contextlib.suppress(FileNotFoundError):
                os.remove(path)
    return dict(zip(names, drawn, strict=True))
