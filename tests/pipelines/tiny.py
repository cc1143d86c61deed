"""A table of six tasks with awkward column names, and flags that make a pipeline of seconds for it."""

import numpy as np

NAMES = ("Jitter(%)", "MDVP:Fo (Hz)", "größe", "a/b", "f10", "f2", "D2", "spread 1")
ORDER = (
    "D2",
    "Jitter(%)",
    "MDVP:Fo (Hz)",
    "a/b",
    "f2",
    "f10",
    "größe",
    "spread 1",
)  # that of a model's features
TASKS = ("t0", "t1", "t2", "t3", "t4", "t5")
HELD_OUT = ("t4", "t5")
SOURCE = ("t0", "t1", "t2", "t3")
ROWS, SUPPORT, K = 40, 4, 3

# Flags of every method, which give a posterior, and those of a small network.
POSTERIOR = (
    "--task_column=who",
    "--label_column=state",
    "--scaling=minmax",
    f"--support_size={SUPPORT}",
    f"--num_selected={K}",
    "--threads=1",
)
FLAGS = (
    *POSTERIOR,
    "--method=concrete",
    "--query_size=16",
    "--eval_every=50",
    "--selector_dim=10",
    "--embedding_units=8",
    "--decoder_units=16",
    "--jit=off",
    "--learning_rate=0.02",
    "--validation_task=t3",
)


def values():
    """Give the rows of each task, float32 [40, 8] in the order of `ORDER`.

    Columns come in pairs that tell of each other, in units far apart: who scales twice, or not at all, shows.
    """
    rng = np.random.default_rng(7)
    found = {}
    for number, task in enumerate(TASKS):
        half = rng.random((ROWS, 4)) + np.array([0.1, 0.0, 0.05, 0.0]) * number
        other = half + 0.02 * rng.random((ROWS, 4))
        columns = np.stack([half, other], axis=2).reshape(ROWS, 8)
        found[task] = (columns * [1, 100, 300, 0.01, 2, 1, 50, 5] - [0, 50, 0, 0, 1, 0, 0, 9]).astype(
            np.float32
        )
    return found


def labels(rows):
    """Give the classes of rows: which half the first column is in."""
    return np.where(rows[:, 0] > 0.6, "sick", "well")


def table(rows=None):
    """Give the table as CSV; its columns stand in the order of `NAMES`."""
    lines = [",".join(("who", *NAMES, "state"))]
    places = [ORDER.index(name) for name in NAMES]
    for task, matrix in (rows or values()).items():
        for row, label in zip(matrix, labels(matrix), strict=True):
            cells = ("" if np.isnan(row[place]) else repr(float(row[place])) for place in places)
            lines.append(",".join((task, *cells, label)))
    return "\n".join(lines) + "\n"


def joined(tasks, rows=None):
    """Give the rows of some tasks as one matrix."""
    return np.concatenate([(rows or values())[task] for task in tasks])
