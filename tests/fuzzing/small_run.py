"""Fuzz the small targets of `small_worker` as `fuzzing.run` fuzzes its own.

    python -m tests.fuzzing.small_run FOLDER TARGETS SECONDS

FOLDER takes the place of all that a run writes.
"""

import os
import sys

from fuzzing import page, process, run

NAMES = ("small", "broken", "vanishing", "absent")
SLOWEST = 3  # seconds of an input


def main():
    folder, targets, seconds = sys.argv[1:]
    process.WORKER, process.SLOWEST = "tests.fuzzing.small_worker", SLOWEST
    run.NAMES = page.NAMES = NAMES
    run.NOTED_MINUTES = 0.0
    page.RUNS, page.PAGE = os.path.join(folder, "runs.jsonl"), os.path.join(folder, "page.md")
    sys.argv[1:] = [f"--target={targets}", f"--minutes={float(seconds) / 60.0}", f"--folder={folder}"]
    run.main()


if __name__ == "__main__":
    main()
