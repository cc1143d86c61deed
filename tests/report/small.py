"""A small fit whose names would break a careless page, and what was asked of it."""

import numpy as np
import pandas as pd

import tffs

SCRIPT = "<script>alert('x')</script>"
NAMES = (SCRIPT, 'say "5 % & more"', "Jitter(%)", *(f"load {number}" for number in range(6)))
TASKS, ROWS = 6, 30


def rows(tasks=TASKS, seed=0):
    """Rows of machines whose features follow from two latents, and whose machine each is."""
    rng = np.random.default_rng(seed)
    latents = rng.normal(size=(tasks, ROWS, 2))
    mixing = rng.normal(size=(2, len(NAMES)))
    means = rng.normal(size=(tasks, 1, len(NAMES)))
    values = latents @ mixing + means + 0.2 * rng.normal(size=(tasks, ROWS, len(NAMES)))
    return pd.DataFrame(values.reshape(-1, len(NAMES)), columns=list(NAMES)), np.repeat(
        [f"machine {number} <b>" for number in range(tasks)], ROWS
    )


def fitted():
    """A selector of three features, fitted to the rows."""
    x, machine = rows()
    return tffs.FewShotFeatureSelector(3, random_state=0, method_params={"residual": "off"}).fit(
        x, groups=machine
    )
