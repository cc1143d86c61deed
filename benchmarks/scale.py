"""Measure what a posterior costs by rows, tasks, features, rank and K, and say what larger tables would take.

Every size is measured once, in a process of its own with one thread, in CPU seconds. What was measured stays in
benchmarks/results/scale.json, so that a run that was stopped goes on; `--again` begins anew. The tables of
docs/scale.md are made from that file.

    python -m benchmarks.scale [--again] [--page]

Memory is measured once more with all folds at once, as a run with Beam has them ("together").
"""

import argparse
import os
from typing import Any

from benchmarks import machine
from benchmarks.scale_report import COMMAND, write_page

WORKER = "benchmarks.scale_worker"
PACKAGES = ("tffs", "tensorflow", "numpy", "scikit-learn", "tensorflow-datasets")
RESULTS = os.path.join(machine.RESULTS, "scale.json")

TASKS, ROWS, FEATURES, RANK, WIDE = 20, 100, 100, 160, 8_000
FITS: dict[str, list[tuple[int, int, int, int]]] = {  # tasks, rows of a task, features, rank
    "rows": [(TASKS, rows, FEATURES, RANK) for rows in (100, 1_000, 10_000, 100_000)],
    "tasks": [(tasks, 20, FEATURES, RANK) for tasks in (20, 200, 2_000, 20_000, 200_000)],
    "features": [(TASKS, ROWS, features, RANK) for features in (50, 200, 500, 1_000, 2_000)],
    "many features": [(TASKS, ROWS, features, RANK) for features in (4_000, WIDE, 16_000, 32_000)],
    "rank": [(TASKS, ROWS, WIDE, rank) for rank in (40, 80, 320)],
    "more rows": [(TASKS, 1_000, 400, RANK), (TASKS, 500, 1_000, RANK), (TASKS, 1_000, WIDE, RANK)],
    "many tasks and features": [(200, 20, WIDE, RANK), (1_000, 20, 4_000, RANK)],
}
TOGETHER: list[tuple[int, int, int, int]] = [  # sizes at which memory is measured with all folds at once
    *((TASKS, rows, FEATURES, RANK) for rows in (ROWS, 10_000, 100_000)),
    *((tasks, 20, FEATURES, RANK) for tasks in (2_000, 20_000, 200_000)),
    *((TASKS, ROWS, features, RANK) for features in (200, 500, 1_000, 2_000, 4_000, WIDE, 32_000)),
    *((TASKS, ROWS, WIDE, rank) for rank in (40, 320)),
    *((200, 20, WIDE, RANK), (400, 20, 16_000, RANK), (1_000, 20, 4_000, RANK)),
    *((5_000, 4, 2_500, RANK), (10_000, 4, 2_100, RANK)),
]
ANSWERS: list[tuple[int, int, int]] = [  # features, rank, K
    *((features, RANK, 20) for features in (100, 256, 500, 1_000, 2_000, 4_000, WIDE, 32_000)),
    *((256, RANK, count) for count in (5, 80)),
    *((1_000, RANK, count) for count in (5, 80)),
    *((WIDE, rank, 20) for rank in (40, 80, 320)),
    *((WIDE, RANK, count) for count in (5, 80)),
]
READS: list[tuple[int, int]] = [
    (400_000, 20),
    (100_000, 100),
    (20_000, 1_000),
    (4_000, 8_000),
]  # rows, features


def main() -> None:
    """Measure what is not measured yet, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--again", action="store_true", help="measure everything anew")
    parser.add_argument(
        "--page", action="store_true", help="measure nothing; write the page from what there is"
    )
    arguments = parser.parse_args()
    found: dict[str, Any] | None = None if arguments.again else machine.read_json(RESULTS)
    if found is None:
        found = {
            "about": machine.describe(PACKAGES),
            "command": COMMAND,
            "fits": [],
            "together": [],
            "answers": [],
            "reads": [],
        }
    if not arguments.page:
        for kind, job in jobs():
            measure(found, kind, job)
    write_page(found)


def jobs() -> list[tuple[str, dict[str, Any]]]:
    """List all sizes, each with what it is measured for."""
    fits = [
        {"axis": axis, "tasks": tasks, "rows": rows, "features": features, "rank": rank}
        for axis, sizes in FITS.items()
        for tasks, rows, features, rank in sizes
    ]
    together = [
        {"tasks": tasks, "rows": rows, "features": features, "rank": rank}
        for tasks, rows, features, rank in TOGETHER
    ]
    answers = [{"features": features, "rank": rank, "count": count} for features, rank, count in ANSWERS]
    reads = [{"rows": rows, "features": features} for rows, features in READS]
    return [
        *(("reads", job) for job in reads),
        *(("answers", job) for job in answers),
        *(("fits", job) for job in fits),
        *(("together", job) for job in together),
    ]


def measure(found: dict[str, Any], kind: str, job: dict[str, Any]) -> None:
    """Measure one size, unless it was measured, and keep it."""
    if any(job.items() <= line.items() for line in found[kind]):
        return
    sizes = [f"--{name}={value}" for name, value in job.items() if name != "axis"]
    found[kind].append({**job, **machine.run_child(WORKER, [kind.removesuffix("s"), *sizes])})
    print(kind, found[kind][-1], flush=True)
    machine.write_json(RESULTS, found)


if __name__ == "__main__":
    main()
