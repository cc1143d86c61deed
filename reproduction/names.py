"""What datasets, methods and metrics are called on the page, and in which order they come."""

from typing import NamedTuple


class Metric(NamedTuple):
    """How a figure is written.

    Attributes:
        title: its name.
        lower_is_better: whether the lowest is best; None where neither is.
        decimals: how many are printed.
    """

    title: str
    lower_is_better: bool | None
    decimals: int


METRICS = {
    "msre": Metric("MSRE", True, 3),
    "ari": Metric("ARI [%]", False, 1),
    "nmi": Metric("NMI [%]", False, 1),
    "accuracy": Metric("accuracy [%]", False, 1),
    "stability": Metric("stability", None, 2),
    "distinct": Metric("distinct features", None, 1),
    "seconds": Metric("seconds", None, 3),
    "select_seconds": Metric("seconds", None, 4),
}

DATASETS = {
    "mnist_r": "MNIST-r",
    "isolet": "Isolet",
    "amazon_reviews": "Amazon",
    "vlcs": "VLCS",
    "pacs_features": "PACS features",
    "digits_r": "digits_r",
}
STAND_IN = {"pacs_features": "vlcs"}  # has the sizes of the paper's dataset, and other rows

RECONSTRUCTING = ("ours", "cae_s", "cae_t", "cae_st")
PAPER_METHODS = (*RECONSTRUCTING, "ls_t", "ls_st", "spec_t", "spec_st")
YARDSTICKS = ("random", "variance", "all")

_METHODS = {
    "ours": "Ours",
    "ours_target": "Ours-target",
    "ours_wo_r": "w/o r(S)",
    "ours_wo_alpha": "w/o α(S)",
    "ours_wo_noise": "Ours w/o rand.",
    "ours_last": "Ours (last weights)",
    "ours_fan_in": "Ours (fan-in)",
    "ours_pi0.3": "Ours (π std 0.3)",
    "ours_pi1": "Ours (π std 1)",
    "cae_s": "CAE-S",
    "cae_t": "CAE-T",
    "cae_st": "CAE-ST",
    "cae_st_selector": "CAE-ST (selector only)",
    "cae_st_sim": "CAE-ST-sim",
    "cae_s_wo_noise": "CAE-S w/o rand.",
    "cae_s_fan_in": "CAE-S (fan-in)",
    "cae_s_indirect": "CAE-S (indirect)",
    "ls_t": "LS-T",
    "ls_st": "LS-ST",
    "spec_t": "SPEC-T",
    "spec_st": "SPEC-ST",
    "spec_t_corrected": "SPEC-T (corrected)",
    "spec_st_corrected": "SPEC-ST (corrected)",
    "random": "Random",
    "variance": "Variance",
    "all": "All features",
    "ours_supervised": "Ours (supervised)",
    "random_supervised": "Random",
    "all_supervised": "All features",
}


def method_name(method: str) -> str:
    """Give a method's name for people, such as CAE-S (τ=1) for cae_s_tau1."""
    for mark, shown in (("_tau", "τ"), ("_T", "T")):
        base, found, value = method.partition(mark)
        if found and base in _METHODS:
            return f"{_METHODS[base]} ({shown}={value})"
    return _METHODS.get(method, method)


def dataset_name(dataset: str) -> str:
    """Give a dataset's name for people."""
    return DATASETS.get(dataset, dataset)


def paper_label(dataset: str) -> str:
    """Label the row with the paper's figures for a dataset, or for the one that it stands in for."""
    original = STAND_IN.get(dataset)
    return "*paper*" if original is None else f"*paper's {dataset_name(original)}: other data*"


def in_order(datasets: set[str]) -> list[str]:
    """Put datasets into the paper's order, those it does not have behind."""
    known = [dataset for dataset in DATASETS if dataset in datasets]
    return known + sorted(datasets - set(known))


def joined(names: list[str]) -> str:
    """Write a list for a sentence: a, b and c."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
