"""Say where a peer or a yardstick is ahead of the posterior, from the numbers alone."""

from collections.abc import Iterator

import pandas as pd

POSTERIOR, CLOSED, SWAPPED = "posterior", "posterior, no network", "posterior, swapped"
CELL = ["split", "target"]
LEVEL = 0.9


def best_variants(lines: pd.DataFrame, figure: str) -> pd.DataFrame:
    """Keep the lines of the variant that is best on average: of one method on one table with one K."""
    return lines[lines.variant == lines.groupby("variant", sort=False)[figure].mean().idxmin()]


def ahead(parts: dict[str, pd.DataFrame], names: dict[str, str]) -> list[str]:
    """Give the sentences.

    Args:
        parts: the lines of `choosing`, `paying` and `inferring`; each may be empty.
        names: of the tables, as a person reads them.
    """
    text = [] if parts["choosing"].empty else [_time(parts["choosing"])]
    for part, figure, place, title in (
        (
            "choosing",
            "own",
            ["table", "K"],
            "With its own decoder, a peer or a yardstick is ahead of the posterior",
        ),
        ("choosing", "ours", ["table", "K"], "With our decoder, features that another method chose are better"),
        (
            "paying",
            "own",
            ["table", "K"],
            "Where features cost something, another method is ahead with its own decoder",
        ),
        (
            "paying",
            "ours",
            ["table", "K"],
            "Where features cost something, those that another method chose are better with our decoder",
        ),
        ("inferring", "error", ["table", "K", "given"], "With given features, another method infers better"),
    ):
        lines = parts[part]
        if not lines.empty:
            lines = lines[lines.method != SWAPPED].assign(variant=lines.get("variant", ""))
            text += _section(title, *_won(lines, names, figure, place, "budget" if part == "paying" else "K ="))
    chosen = parts["choosing"]
    if not chosen.empty and SWAPPED in set(chosen.method):
        ours = chosen[chosen.method.isin([POSTERIOR, SWAPPED])]
        title = "Swapping some of its features makes the posterior better"
        text += _section(title, *_won(ours, names, "own", ["table", "K"]))
    return text if parts["inferring"].empty else [*text, _coverage(parts["inferring"])]


def _section(title: str, sentences: list[str], places: int) -> list[str]:
    if not sentences:
        return [f"- **{title} in none of {places} places.**"]
    return [f"- **{title} in {len(sentences)} of {places} places:**", *(f"  - {one}" for one in sentences)]


def _won(
    lines: pd.DataFrame, names: dict[str, str], figure: str, place: list[str], counted: str = "K ="
) -> tuple[list[str], int]:
    """Give a sentence for each place where the posterior is not the best, and how many places there are."""
    sentences, places = [], 0
    for key, here in lines.groupby(place, sort=False):
        if POSTERIOR not in set(here.method):
            continue
        places += 1
        better = sorted(_better(here, figure))
        if better:
            where = f"{names[str(key[0])]}, {counted} {key[1]}" + (
                f", {key[2]} features" if len(key) > 2 else ""
            )
            others = f"; also {', '.join(method for _, method, _ in better[1:])}" if better[1:] else ""
            sentences.append(f"{where}: {better[0][1]} {better[0][2]}{others}")
    return sentences, places


def _better(here: pd.DataFrame, figure: str) -> Iterator[tuple[float, str, str]]:
    """Give the error, the name and the figures of each method that is ahead on the cells that both have."""
    ours = here[here.method == POSTERIOR].set_index(CELL)[figure]
    for method, lines in here[~here.method.isin([POSTERIOR, CLOSED])].groupby("method", sort=False):
        theirs = best_variants(lines, figure).set_index(CELL)[figure]
        same = ours.loc[theirs.index]
        if theirs.mean() < same.mean():
            lower = f"lower on {(theirs < same).sum()} of {len(same)} targets"
            left = f"{100 * theirs.mean():.3g} %, {lower} (posterior {100 * same.mean():.3g} %)"
            yield theirs.mean(), str(method), left


def _coverage(lines: pd.DataFrame) -> str:
    """Say how far from 90 % the coverage of everybody's intervals is."""
    own = lines[lines.coverage.notna()].groupby(["table", "K", "given", "method"]).coverage.mean()
    away = (own - LEVEL).abs().groupby("method").agg(["mean", "max"]).sort_values("mean")
    found = (
        f"{method} {100 * mean:.1f} (at most {100 * most:.0f})" for method, mean, most in away.itertuples()
    )
    distances = "mean distance in percentage points over these places"
    return f"- **Coverage of 90 % intervals**, {distances}: {', '.join(found)}."


def _time(lines: pd.DataFrame) -> str:
    """Compare seconds of fitting and choosing."""
    seconds = lines.groupby(["table", "method"]).seconds.mean().unstack()
    quick = [method for method in seconds if (seconds[method] < seconds[POSTERIOR]).all()]
    times = seconds[[method for method in quick if method != CLOSED]]
    posterior, closed = (
        f"{_number(seconds[name].min())} to {_number(seconds[name].max())} s" for name in (POSTERIOR, CLOSED)
    )
    return (
        f"- **Time**, mean over K. {', '.join(times)} take {_number(times.min().min())} to "
        f"{_number(times.max().max())} s to fit and choose, the posterior {posterior}, once for every K and "
        f"target ({closed} without its network)."
    )


def _number(seconds: float) -> str:
    return f"{seconds:.2g}" if seconds < 10.0 else f"{seconds:.0f}"
