"""What methods, datasets and metrics are called on the page, and where they appear.

A new method needs one line in `METHODS` at most. One without a line stands in the tables of methods beyond the
paper under its own name; a line gives it another name, and a curve in the figures.
"""

from collections.abc import Iterable
from typing import NamedTuple

PAPER, YARDSTICK, VARIANT, BEYOND = "paper", "yardstick", "variant", "beyond"


class Method(NamedTuple):
    """How a method appears: its name, its role, and its curve in the figures (none without a colour).

    The role is `paper` for those of the paper's main tables, `yardstick` for features chosen without learning,
    `variant` where only some tables have it, `beyond` where it is compared with Ours.
    """

    title: str
    role: str = VARIANT
    color: str | None = None
    marker: str = "."
    line: str = ":"


METHODS = {
    "posterior": Method("Posterior", BEYOND, "#000000", "D", "-"),
    "greedy": Method("Greedy", BEYOND, "#c8950c", "P", "--"),
    "posterior_linear": Method("Posterior (linear part)", BEYOND),
    "concrete_posterior": Method("Selectors through the posterior"),
    "ours": Method("Ours", PAPER, "#d62728", "o", "-"),
    "cae_s": Method("CAE-S", PAPER, "#08519c", "s", "-"),
    "cae_t": Method("CAE-T", PAPER, "#4292c6", "v", "--"),
    "cae_st": Method("CAE-ST", PAPER, "#6a51a3", "^", "-."),
    "ls_t": Method("LS-T", PAPER, "#41ab5d", "v", "--"),
    "ls_st": Method("LS-ST", PAPER, "#00592a", "^", "-"),
    "spec_t": Method("SPEC-T", PAPER, "#fd8d3c", "v", "--"),
    "spec_st": Method("SPEC-ST", PAPER, "#8c510a", "^", "-"),
    "random": Method("Random", YARDSTICK, "0.45"),
    "variance": Method("Variance", YARDSTICK),
    "all": Method("All features", YARDSTICK, "0.1"),
    "ours_wo_r": Method("w/o r(S)"),
    "ours_wo_alpha": Method("w/o α(S)"),
    "ours_wo_noise": Method("Ours w/o rand."),
    "ours_last": Method("Ours (last weights)"),
    "ours_fan_in": Method("Ours (fan-in)"),
    "ours_wo_r_fan_in": Method("w/o r(S) (fan-in)"),
    "ours_pi0.3": Method("Ours (π std 0.3)"),
    "ours_pi1": Method("Ours (π std 1)"),
    **{f"ours_tau{tau}": Method(f"Ours (τ={tau})") for tau in ("0.01", "1", "10")},
    **{f"ours_T{size}": Method(f"Ours (T={size})") for size in (1, 10, 50, 100, 200, 400)},
    "cae_st_selector": Method("CAE-ST (selector only)"),
    "cae_st_sim": Method("CAE-ST-sim"),
    "cae_s_wo_noise": Method("CAE-S w/o rand."),
    "cae_s_fan_in": Method("CAE-S (fan-in)"),
    "cae_s_indirect": Method("CAE-S (indirect)"),
    **{f"cae_s_tau{tau}": Method(f"CAE-S (τ={tau})") for tau in ("0.01", "1", "10")},
    "spec_t_corrected": Method("SPEC-T (corrected)"),
    "spec_st_corrected": Method("SPEC-ST (corrected)"),
    "ours_supervised": Method("Ours (supervised)"),
    "random_supervised": Method("Random"),
    "all_supervised": Method("All features"),
}

DATASETS = {
    "mnist_r": "MNIST-r",
    "isolet": "Isolet",
    "amazon_reviews": "Amazon",
    "vlcs": "VLCS",
    "pacs_features": "PACS features",
    "digits_r": "digits_r",
}
STAND_IN = {"pacs_features": "vlcs"}  # the same hidden layers, other features and rows


class Metric(NamedTuple):
    """How a figure is written.

    `lower_is_better` is None where neither is; without `decimals` a figure has about three digits.
    """

    title: str
    lower_is_better: bool | None
    decimals: int | None


METRICS = {
    "msre": Metric("MSRE", True, 3),
    "msre_unmeasured": Metric("MSRE, unmeasured features", True, 3),
    "relative_error": Metric("relative error", True, 3),
    "ari": Metric("ARI [%]", False, 1),
    "nmi": Metric("NMI [%]", False, 1),
    "accuracy": Metric("accuracy [%]", False, 1),
    "stability": Metric("stability", None, 2),
    "distinct": Metric("distinct features", None, 1),
    "seconds": Metric("seconds of training", None, None),
    "select_seconds": Metric("seconds of a selection", None, None),
}


def method(name: str) -> Method:
    """Say how a method appears."""
    return METHODS.get(name, Method(name, BEYOND))


def with_role(names: Iterable[str], role: str) -> list[str]:
    """Take the methods of a role, in the order of `METHODS`, those that it does not list behind."""
    there = set(names)
    ordered = [*METHODS, *sorted(there - METHODS.keys())]
    return [name for name in ordered if name in there and method(name).role == role]


def dataset_name(dataset: str) -> str:
    """Give a dataset's name for people."""
    return DATASETS.get(dataset, dataset)


def in_order(datasets: Iterable[str]) -> list[str]:
    """Put datasets into the paper's order, those it does not have behind."""
    there = set(datasets)
    return [dataset for dataset in (*DATASETS, *sorted(there - DATASETS.keys())) if dataset in there]


def joined(names: Iterable[str]) -> str:
    """Write a list for a sentence: a, b and c."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
