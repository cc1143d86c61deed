"""Write tables in Markdown."""

import pandas as pd

NOTHING = "–"


def table(frame: pd.DataFrame, left: int = 1) -> str:
    """Write a table whose columns also line up as plain text.

    Args:
        frame: one text a cell; its index is not written.
        left: how many columns are text and stand to the left; the others hold figures.
    """
    columns = []
    for number, (title, cells) in enumerate(frame.items()):
        texts = [str(text).replace("|", "\\|") for text in (title, *cells)]
        width = max(3, *map(len, texts))
        is_text = number < left
        head, *body = (text.ljust(width) if is_text else text.rjust(width) for text in texts)
        columns.append([head, "-" * (width - 1) + ("-" if is_text else ":"), *body])
    return "\n".join(f"| {' | '.join(row)} |" for row in zip(*columns, strict=True))
