"""How far the paper's mean is from ours, and how often a draw of the targets would come as far."""

import dataclasses
import itertools
import math

import numpy as np
import pandas as pd
from scipy import stats

from reproduction import paper
from reproduction.comparison import FEWEST_SPLITS, whole_splits

ROUNDING = 0.0005  # the paper prints three decimals
RARE = 0.0001  # a smaller share is not written out


@dataclasses.dataclass(frozen=True)
class Level:
    """Where the paper's mean error of a method on a dataset lies, seen from ours.

    Attributes:
        papers: the paper's mean.
        standard_errors: how far it is above ours, in standard errors of the difference.
        share: of all draws of the paper's number of targets, those that come as far as the paper.
    """

    papers: float
    standard_errors: float
    share: float

    @property
    def away(self) -> str:
        """On which side of ours the paper's mean is, and how far."""
        side = "above" if self.standard_errors > 0 else "below"
        return f"{abs(self.standard_errors):.1f} standard errors {side}"

    @property
    def drawn(self) -> str:
        """The share of draws, in percent."""
        return f"{100.0 * self.share:.2g} %" if self.share >= RARE else f"less than {100.0 * RARE:g} %"


def level(values: pd.Series, papers: float) -> Level | None:
    """Compare a method's errors in the cells of a dataset with the paper's mean; None with too few splits.

    The cells are those of whole splits, as in the table of held-out tasks.
    """
    whole = whole_splits(values.to_frame()).iloc[:, 0]
    means = whole.groupby("split").mean()
    if len(means) < FEWEST_SPLITS:
        return None
    share = share_of_draws(whole.groupby("target_task").mean(), papers)
    return Level(papers, standard_errors(means, papers), share)


def standard_errors(split_means: pd.Series, papers: float) -> float:
    """Say how far the paper's mean is above ours, if its splits vary as ours do."""
    error = split_means.std() * math.sqrt(1.0 / len(split_means) + 1.0 / paper.SPLITS)
    return float((papers - split_means.mean()) / error)


def share_of_draws(task_means: pd.Series, papers: float, draws: int = paper.SPLITS) -> float:
    """Find the probability that a mean of task means, drawn with replacement, is at or beyond the paper's mean.

    Beyond is away from the mean of all draws. What splits of one task differ by is left out.
    """
    tasks = len(task_means)
    ways = [*itertools.combinations(range(draws + tasks - 1), tasks - 1)]  # to put bars between the tasks
    bars = np.array(ways, int).reshape(len(ways), tasks - 1)
    counts = np.diff(bars, prepend=-1, append=draws + tasks - 1) - 1  # [ways, tasks], how often each is drawn
    off = counts @ task_means.to_numpy() / draws - task_means.mean()
    wanted = papers - task_means.mean()
    reached = off * np.sign(wanted) >= abs(wanted) - ROUNDING
    return float(stats.multinomial.pmf(counts[reached], draws, np.full(tasks, 1.0 / tasks)).sum())
