"""What a posterior model must answer, in plain NumPy and float64: the formulas as docs/explanation writes them.

Nothing of the library computes here: matrices are inverted, features are chosen by conditioning the whole
covariance, and each row is inferred by itself. Only the learned numbers are the model's.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

TINY = 1e-30
POWER, POOLED_ROWS, LEAST_MEASURED = 0.7, 4.0, 5.0  # of the mixture, as the decoder has them
LEAST_FALL = 0.25
LIMIT = 10.0  # of the support's scatter beside the variance without it
ROWS, COUNTS, KNOTS = (0, 1, 4, 16), (0, 1, 2, 4, 8, 16, 32), (1, 2, 4, 16)
LEVEL = 2  # the place of 90 % among the levels of intervals


class Limits(NamedTuple):
    """What may be chosen for one task; see `tffs.selection.greedy.Limits`."""

    include: np.ndarray
    exclude: np.ndarray
    costs: np.ndarray
    budget: float


class Ranked(NamedTuple):
    """A choice of features.

    Attributes:
        indices: the features, best first.
        errors: the expected error with 0, 1, ... of them.
        shortfall: by what share the worst of these steps was worse than the best possible one.
    """

    indices: tuple[int, ...]
    errors: np.ndarray
    shortfall: float


class Inferred(NamedTuple):
    """Rows [rows, features], and by how much each value may be off with 90 % certainty."""

    mean: np.ndarray
    reach: np.ndarray


def learned_numbers(model: Any) -> dict[str, np.ndarray]:
    """Give what a `RawUnitsSelector` of a posterior without a residual network has learned."""
    core = model.selector
    assert core.residual is None, "the oracle knows no residual network"
    parts = {"": core, "prior.": core.prior, "decoder.": core.decoder, "calibration.": core.calibration}
    names = {
        "": ("weights_of_features", "source_mean", "low", "high"),
        "prior.": ("mean", "scale", "axes", "between", "spread"),
        "decoder.": ("ridge", "counts", "centres", "deviations", "pooled"),
        "calibration.": ("of_errors", "of_variances", "of_features", "multiples"),
    }
    found = {p + name: np.asarray(getattr(part, name)) for p, part in parts.items() for name in names[p]}
    found["decoder.metric"] = np.asarray(core.decoder.metric)
    novelty = core.calibration.novelty
    for name in ("mean", "low", "high", "stddev", "usual", "spread", "quantiles", "learned"):
        found[f"novelty.{name}"] = np.asarray(getattr(novelty, name))
    found["novelty.any_task"], found["novelty.one_task"] = novelty.any_task[0], novelty.one_task[0]
    found["offset"], found["width"] = model.scaling.offset, model.scaling.width
    return {name: np.asarray(values, np.float64) for name, values in found.items()}


class Oracle:
    """Answers one task at a time.

    Args:
        learned: what `learned_numbers` gave.
    """

    def __init__(self, learned: Mapping[str, np.ndarray]) -> None:
        self._of = learned
        axes = learned["prior.scale"][:, None] * learned["prior.axes"]
        self._within = axes @ axes.T
        self._between = (axes * learned["prior.between"]) @ axes.T
        self.num_features = len(axes)
        self.width = np.where(learned["width"] > 0, learned["width"], 1.0)

    def rank(
        self, support: np.ndarray, limits: Limits, count: int, order: Sequence[int] | None = None
    ) -> Ranked | None:
        """Choose features one after the other, or follow a choice that somebody else made.

        Args:
            support: [rows, features], in raw units.
            limits: what may be chosen.
            count: how many at most.
            order: the choice to follow; None for the best feature at every step.

        Returns:
            The choice; None if `order` is not possible within the limits, or ends where it need not.
        """
        mean, covariance, _, _ = self._belief(self._scaled(support))
        weights = self._of["weights_of_features"]
        noise = self._of["decoder.ridge"] * np.diag(covariance) + TINY
        left, open_, spent = covariance.copy(), np.ones(len(weights), bool), 0.0
        chosen: list[int] = []
        errors, shortfall = [float(weights @ np.diag(covariance))], 0.0
        while len(chosen) < count:
            allowed = _allowed(limits, open_, spent)
            if not allowed.any():
                break
            variances = np.diag(left)
            others = np.square(left) @ np.where(open_, weights, 0.0) - weights * np.square(variances)
            gains = weights * variances + others / (variances + noise)
            worth = np.where(allowed, gains / np.where(limits.costs > 0, limits.costs, 1.0), -np.inf)
            best = int(worth.argmax())
            if order is not None:
                if len(chosen) == len(order) or not allowed[order[len(chosen)]]:
                    return None
                shortfall = max(shortfall, 1.0 - worth[order[len(chosen)]] / max(worth[best], TINY))
                best = order[len(chosen)]
            chosen.append(best)
            errors.append(max(errors[-1] - gains[best], 0.0))
            spent += limits.costs[best]
            open_[best] = False
            left -= np.outer(left[:, best], left[best]) / (variances[best] + noise[best])
        if order is not None and len(order) != len(chosen):
            return None
        return Ranked(tuple(chosen), self._shares(mean, np.array(errors), len(support)), shortfall)

    def novelty(self, support: np.ndarray) -> float:
        """Give how unlike the source tasks a support of at most 16 rows is; -1 where that is not known."""
        count = len(support)
        if not count or not self._of["novelty.learned"]:
            return -1.0
        rows, of = self._scaled(support), {k[8:]: v for k, v in self._of.items() if k.startswith("novelty.")}
        residuals = (rows - of["mean"]) @ of["any_task"]
        beyond = (rows - np.clip(rows, of["low"], of["high"])) / of["stddev"]
        off = np.sort(residuals + 2.0 * beyond, axis=0)
        few = int(np.ceil(count / 4))
        off = np.sort(np.maximum(np.maximum(off[few - 1], -off[count - few]), 0.0))
        about = (rows - rows.mean(axis=0)) * np.sqrt(count / max(count - 1, 1))
        together = np.minimum(np.abs(about @ of["one_task"]), 3.0).mean()
        alone = off[-1] / (0.5 + off[-(len(off) // 10) - 1])
        numbers = np.log(1e-3 + np.array([alone, np.log1p(np.square(residuals)).mean(), together]))
        if count < 2:
            numbers[2] = -1e9
        usual, spread, quantiles = (_table(of[name], KNOTS, count) for name in ("usual", "spread", "quantiles"))
        greatest = ((numbers - usual) / spread).max()
        inside = np.clip((greatest - quantiles[:-1]) / np.maximum(np.diff(quantiles), 1e-6), 0.0, 1.0)
        below, above = min(greatest - quantiles[0], 0.0), max(greatest - quantiles[-1], 0.0)
        return float((np.exp(below) + inside.sum() + above / (1.0 + above)) / (len(quantiles) + 1))

    def infer(self, support: np.ndarray, values: np.ndarray) -> Inferred:
        """Infer rows [rows, features] that are NaN where not measured."""
        rows = self._scaled(support)
        belief = self._belief(rows)
        answers = [self._row(row, belief, rows) for row in self._scaled(values)]
        mean, variance = (np.stack(part) for part in zip(*answers, strict=True))
        width, measured = self._of["width"], ~np.isnan(values)
        reach = self._of["calibration.multiples"][LEVEL] * np.sqrt(variance) * width
        raw = np.where(measured, values, mean * width + self._of["offset"])
        return Inferred(raw, np.where(measured, 0.0, reach))

    def _row(self, row: np.ndarray, belief: tuple, support: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Infer one scaled row: its means and variances."""
        mean, covariance, about, trust = belief
        of, count, seen = self._of, len(support), np.flatnonzero(~np.isnan(row))
        noise = np.diag(of["decoder.ridge"] * np.diag(covariance)[seen])
        counts, centres = of["decoder.counts"], of["decoder.centres"]
        share = of["prior.spread"] / (1.0 + of["prior.spread"] * count)
        if len(counts):  # the support's scatter is about the centres that are nearest
            away = of["decoder.metric"] * ((about / max(np.sqrt(share), TINY))[:, None] - centres)
            nearest = np.square(away).sum(axis=2).argmin(axis=1)
            moved = about - np.sqrt(share) * trust * centres[nearest]
            covariance = covariance - about.T @ about + moved.T @ moved
        else:
            counts, centres = np.ones(1), np.zeros((1, len(mean)))
        own = counts / (counts + POOLED_ROWS * max(len(seen), LEAST_MEASURED))
        means, variances, likelihoods = [], [], []
        for place, centre in enumerate(centres):
            matrix = covariance
            if len(of["decoder.counts"]):
                of_component = of["decoder.pooled"] + own[place] * of["decoder.deviations"][place]
                matrix = covariance + (1.0 - share * count) * of_component
            block, columns = matrix[np.ix_(seen, seen)] + noise, matrix[:, seen]
            gain = columns @ np.linalg.inv(block)
            apart = row[seen] - mean[seen] - centre[seen]
            means.append(centre + gain @ apart)
            variances.append(np.maximum(np.diag(matrix) - (gain * columns).sum(axis=1), 0.0))
            likelihoods.append(-0.5 * (apart @ np.linalg.solve(block, apart) + np.linalg.slogdet(block)[1]))
        logits = POWER * np.array(likelihoods) + np.log(counts)
        shares = np.exp(logits - logits.max())
        shares /= shares.sum()
        answer = shares @ np.array(means)
        variance = shares @ (np.array(variances) + np.square(np.array(means) - answer))
        low = np.minimum(of["low"], support.min(axis=0, initial=np.inf))
        high = np.maximum(of["high"], support.max(axis=0, initial=-np.inf))
        factor = np.exp(_table(_table(of["calibration.of_variances"], ROWS, count), COUNTS, len(seen)))
        return np.clip(mean + answer, low, high), factor * of["calibration.of_features"] * variance

    def _scaled(self, rows: np.ndarray) -> np.ndarray:
        width = self._of["width"]
        return np.where(width > 0, (rows - self._of["offset"]) / np.where(width > 0, width, 1.0), 0.0 * rows)

    def _belief(self, support: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Give m(S), C(S), the rows whose products are in it, and how much they count for each feature."""
        count, mean = len(support), self._of["prior.mean"]
        gain = count * self._between @ np.linalg.inv(count * self._between + self._within)
        centre = mean + gain @ (support.mean(axis=0) - mean) if count else mean
        unsure = self._between - gain @ self._between
        share = self._of["prior.spread"] / (1.0 + self._of["prior.spread"] * count)  # 1 / (nu + N)
        known = (1.0 - share * count) * self._within + (1.0 + share * count) * unsure
        about = np.sqrt(share) * (support - centre)
        scatter = np.square(about).sum(axis=0)
        trust = np.sqrt(np.minimum(1.0, LIMIT * np.diag(known) / np.maximum(scatter, TINY)))
        about = trust * about
        alone = (1.0 - np.square(trust)) * scatter
        return centre, known + about.T @ about + np.diag(alone), about, trust

    def _shares(self, mean: np.ndarray, errors: np.ndarray, rows: int) -> np.ndarray:
        """Give calibrated errors as shares of that of answering the source rows' mean."""
        by_mean = errors[0] + self._of["weights_of_features"] @ np.square(mean - self._of["source_mean"])
        shares = errors / max(by_mean, TINY)
        slow = np.maximum(shares, TINY) ** LEAST_FALL
        table = _table(self._of["calibration.of_errors"], ROWS, rows)
        factors = np.exp([_table(table, COUNTS, count) for count in range(len(errors))])
        return slow * np.minimum.accumulate(shares * factors / slow)


def _allowed(limits: Limits, open_: np.ndarray, spent: float) -> np.ndarray:
    """Say which features may be chosen next."""
    wanted = open_ & limits.include
    affordable = (limits.budget < 0) | (limits.costs <= (limits.budget - spent) * (1 + 1e-6))
    allowed = wanted if wanted.any() else open_ & ~limits.exclude & affordable
    free = allowed & (limits.costs <= 0)
    return free if free.any() else allowed


def _table(table: np.ndarray, knots: Sequence[int], value: float) -> Any:
    """Interpolate the entries of a table [knots, ...] by the logarithms of 1 + both."""
    place = np.interp(np.log1p(value), np.log1p(knots), np.arange(len(knots)))
    lower = min(int(place), len(knots) - 2)
    return (1.0 - (place - lower)) * table[lower] + (place - lower) * table[lower + 1]
