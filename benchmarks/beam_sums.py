"""Compare fits whose sums two worker processes of Beam compute with fits that read the rows themselves.

It asks whether the models agree, and whether a worker's memory grows with the table. It needs apache-beam, and
so runs in the pipeline's environment:

    .venv-tfx/bin/python -m benchmarks.beam_sums [--small]

It goes on from benchmarks/results/beam_sums.json: delete that to measure anew.
"""

import argparse
import contextlib
import json
import os
import pathlib
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from benchmarks import machine

COMMAND = ".venv-tfx/bin/python -m benchmarks.beam_sums"
PACKAGES = ("apache-beam", "tensorflow_cpu", "numpy")
BEAM = "runner=DirectRunner,direct_running_mode=multi_processing,direct_num_workers=2"
SHARD_BYTES = 8 * 2**20
LOOK_SECONDS = 0.05


class TableSize(NamedTuple):
    """The size of a table."""

    name: str
    tasks: int
    rows: int
    features: int


FULL = (
    TableSize("100,000 rows", 40, 100_000, 100),
    TableSize("800,000 rows", 40, 800_000, 100),
    TableSize("2,100 features", 10, 4_000, 2_100),
)
SMALL = (TableSize("small", 4, 36, 12),)  # too few rows for a mixture, which takes many passes


def main() -> None:
    """Measure every size, or one fit in a process of its own, and write the results page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="one tiny size, results in a new folder")
    parser.add_argument("--fit", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.fit:
        _fit(arguments.fit)
        return
    folder = machine.output_folder(arguments.small)
    path = os.path.join(folder, "beam_sums.json")
    results: dict[str, Any] = machine.read_json(path) or {"about": machine.describe(PACKAGES), "sizes": []}
    measured = {size["name"] for size in results["sizes"]}
    for size in SMALL if arguments.small else FULL:
        if size.name not in measured:
            with tempfile.TemporaryDirectory(prefix="tffs-beam-") as scratch:
                results["sizes"].append(_measure(size, scratch))
            machine.write_json(path, results)
            _report(results, folder)


def _measure(size: TableSize, folder: str) -> dict[str, Any]:
    """Fit to a table in both ways."""
    began = time.perf_counter()
    path = os.path.join(folder, f"{size.name}.npz")
    rng = np.random.default_rng(0)
    task = np.repeat(np.arange(size.tasks), size.rows // size.tasks)
    mixing = rng.normal(size=(20, size.features)).astype(np.float32)
    x = np.abs(rng.normal(size=(len(task), 20))).astype(np.float32) @ mixing
    x += rng.normal(size=(size.tasks, size.features)).astype(np.float32)[task]
    x += rng.normal(size=x.shape).astype(np.float32)
    np.savez(path, x=x, task=task)
    found: dict[str, Any] = {**size._asdict(), "bytes": x.nbytes}
    for way, flags in {"here": ["--cache=stream"], "beam": [f"--beam_options={BEAM}"]}.items():
        flags = [
            f"--table={path}",
            f"--data_dir={folder}/{size.name}-data",
            f"--workdir={folder}/{size.name}-{way}",
            *flags,
        ]
        if way == "here":  # which also prepares the table
            machine.run_child("benchmarks.beam_sums", ["--fit", "--mode=prepare", *flags[:2]])
        found[way] = machine.run_child(
            "benchmarks.beam_sums", ["--fit", "--mode=train", "--residual=off", "--num_selected=5", *flags]
        )
        print(f"{size.name}, {way}: {found[way]}", flush=True)
    found["difference"], found["recipe"] = _difference(
        *(f"{folder}/{size.name}-{way}" for way in ("here", "beam"))
    )
    found["seconds"] = time.perf_counter() - began
    found["passes"] = len(list(pathlib.Path(folder, f"{size.name}-data").glob("table/*/sums/*")))
    return found


def _difference(one: str, other: str) -> tuple[float, bool]:
    """Give how far weights differ at most, by the largest of each, and whether the same recipe was chosen."""
    from tffs.models import load_model

    pairs = zip(
        load_model(f"{one}/model.keras").weights, load_model(f"{other}/model.keras").weights, strict=True
    )
    found = 0.0
    for here, beam in pairs:
        here, beam = np.asarray(here), np.asarray(beam)
        if not (np.isfinite(here).all() and np.isfinite(beam).all()):
            raise ValueError("a weight is not finite")
        if here.size:
            found = max(found, float(np.abs(here - beam).max() / max(np.abs(here).max(), 1e-30)))
    recipes = [
        json.loads(pathlib.Path(run, "training.json").read_text())["chosen"]["recipe"] for run in (one, other)
    ]
    return found, recipes[0] == recipes[1]


def _fit(flags: list[str]) -> None:
    """Run a command here, and print its seconds and the peaks of memory."""
    from data_builders.table import table_dataset_builder
    from tffs.main import main as command

    table_dataset_builder.SHARD_BYTES = SHARD_BYTES
    began = time.perf_counter()
    with _watched() as workers, contextlib.redirect_stdout(sys.stderr):
        code = command(["tffs", *flags])
    if code:
        raise SystemExit(code)
    own = _peak_mb(pathlib.Path("/proc/self"))
    seconds = time.perf_counter() - began
    print(json.dumps({"seconds": seconds, "own_mb": own, "worker_mb": max(workers.values(), default=None)}))


@contextlib.contextmanager
def _watched() -> Iterator[dict[str, float]]:
    """Note the peak memory in MB of every worker of Beam that lives meanwhile, by its process."""
    peaks: dict[str, float] = {}
    done = threading.Event()

    def look() -> None:
        while not done.wait(LOOK_SECONDS):
            for process in pathlib.Path("/proc").glob("[0-9]*"):
                with contextlib.suppress(OSError, IndexError):
                    if b"sdk_worker_main" in (process / "cmdline").read_bytes():
                        peaks[process.name] = _peak_mb(process)

    watching = threading.Thread(target=look)
    watching.start()
    try:
        yield peaks
    finally:
        done.set()
        watching.join()


def _peak_mb(process: pathlib.Path) -> float:
    """Read the peak of a process; that of `getrusage` would begin with its parent's."""
    return float((process / "status").read_text().split("VmHWM:")[1].split()[0]) / 1024


def _report(results: dict[str, Any], folder: str) -> None:
    seconds = sum(size["seconds"] for size in results["sizes"])
    lines = [
        *machine.header("Sums of Beam's workers and sums computed here", COMMAND, results["about"]),
        f"Time: {seconds:.0f} s. Options: `{BEAM}`; files of {SHARD_BYTES // 2**20} MB. A fit "
        "without a residual network, from the prepared table to the model (`--mode=train`). Every pass starts "
        "two new processes. The difference is that of the model's weights, by the largest of each array. Peaks "
        "of memory are those of the whole process, with what it imports.",
        "",
        "| table | MB of rows | passes | difference | same recipe | here s | Beam s | worker MB | main MB |",
        "|---|---:|---:|---:|---|---:|---:|---:|---:|",
    ]
    for size in results["sizes"]:
        here, beam = size["here"], size["beam"]
        lines.append(
            f"| {size['name']}, M = {size['features']} | {size['bytes'] / 2**20:.0f} | {size['passes']} | "
            f"{size['difference']:.1e} | {'yes' if size['recipe'] else 'no'} | {here['seconds']:.0f} | "
            f"{beam['seconds']:.0f} | {beam['worker_mb']:.0f} | {beam['own_mb']:.0f} |"
        )
    with open(os.path.join(folder, "beam_sums.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
