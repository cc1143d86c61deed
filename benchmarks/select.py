"""Measure selection with an exported model: one task at a time, and in batches.

Every size is measured in a process of its own, pinned to one core, with one thread. The model is untrained:
what it selects does not change what it costs.

    python benchmarks/select.py [--quick]
"""

import os
import sys

if sys.path[0] == os.path.dirname(os.path.abspath(__file__)):
    # Run as a script, this folder would come first and this file would hide Python's own select.
    sys.path[0] = os.path.dirname(sys.path[0])

import argparse
import json
import resource
import tempfile
import time
from typing import Any

import numpy as np

from benchmarks import machine
from benchmarks.peers.problem import SIZES

MEASURED = ("M=256 K=20", "M=256 K=50", "M=4096 K=50")
BATCH = 1024
PAPER_MS, BAR_MS, AIM_MS = 3.0, 0.5, 0.2


def main() -> None:
    """Measure every size and write the results page, or measure one size as a child process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few calls, results in a new folder")
    parser.add_argument("--size", choices=MEASURED, help="measure this size here and print JSON")
    parser.add_argument("--core", type=int, default=machine.last_core())
    arguments = parser.parse_args()
    calls = 100 if arguments.quick else 2000
    if arguments.size:
        print(json.dumps(measure(arguments.size, arguments.core, calls)))
        return
    results: dict[str, Any] = {"about": machine.describe(("tensorflow", "keras", "numpy")), "calls": calls}
    for size in MEASURED:
        quick = ["--quick"] if arguments.quick else []
        child = [f"--size={size}", f"--core={arguments.core}", *quick]
        results[size] = machine.run_child("benchmarks.select", child)
        print(f"{size}: {results[size]}", flush=True)
    folder = machine.output_folder(arguments.quick)
    machine.write_json(os.path.join(folder, "select.json"), results)
    page = "\n".join(report(results))
    with open(os.path.join(folder, "select.md"), "w", encoding="utf-8") as file:
        file.write(page + "\n")
    print(page)


def measure(size_name: str, core: int, calls: int) -> dict[str, float]:
    """Export a model, load it in this process and time its `serving_default` signature."""
    os.sched_setaffinity(0, {core})
    import tensorflow as tf

    from tffs.models import concrete_model
    from tffs.serving.export import export_model

    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    size = SIZES[size_name]
    with tempfile.TemporaryDirectory() as folder:
        model = concrete_model(size.features, size.selected, size.selector_dim, size.embedding, size.hidden)
        model.build()
        names = [f"feature {index}" for index in range(size.features)]
        path = export_model(model, names, size.support, os.path.join(folder, "export"))
        began = time.perf_counter()
        loaded = tf.saved_model.load(path)
        load_seconds = time.perf_counter() - began
    select = loaded.signatures["serving_default"]
    rng = np.random.default_rng(0)
    one = tf.constant(rng.random((1, size.support, size.features), dtype=np.float32))
    batch = tf.constant(rng.random((BATCH, size.support, size.features), dtype=np.float32))
    single = _times(lambda: select(support=one)["indices"].numpy(), calls)
    batched = _times(lambda: select(support=batch)["indices"].numpy(), max(calls // 200, 3))
    return {
        "p50_ms": 1e3 * float(np.percentile(single, 50)),
        "p90_ms": 1e3 * float(np.percentile(single, 90)),
        "p99_ms": 1e3 * float(np.percentile(single, 99)),
        "batch_us_a_task": 1e6 * float(np.median(batched)) / BATCH,
        "load_s": load_seconds,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def _times(call: Any, count: int) -> list[float]:
    """Time `count` calls after a warm-up."""
    for _ in range(max(count // 10, 2)):
        call()
    times = []
    for _ in range(count):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return times


def report(results: dict[str, Any]) -> list[str]:
    """Write the results page."""
    lines = machine.header("One selection from a SavedModel", "python benchmarks/select.py", results["about"])
    lines += [
        f"One task of 4 support rows through `serving_default`, {results['calls']} calls; a task in batches of "
        f"{BATCH}; one thread on one core. Peak memory is the whole process: TensorFlow, the exporting model "
        "and the batch.",
        "",
        f"| size | p50 ms | p90 ms | p99 ms | us a task, batches of {BATCH} | load s | peak MB |",
        "|---|---|---|---|---|---|---|",
    ]
    for size in MEASURED:
        row = results[size]
        lines.append(
            f"| {size} | {row['p50_ms']:.3f} | {row['p90_ms']:.3f} | {row['p99_ms']:.3f} | "
            f"{row['batch_us_a_task']:.1f} | {row['load_s']:.2f} | {row['peak_mb']:.0f} |"
        )
    small = [results[size]["p50_ms"] for size in MEASURED if size.startswith("M=256")]
    met = "met" if max(small) < BAR_MS else "MISSED"
    aim = "met" if max(small) < AIM_MS else "missed"
    lines += [
        "",
        f"At M=256: p50 under {BAR_MS} ms {met}, aim of {AIM_MS} ms {aim}; the paper gives {PAPER_MS} ms "
        "for its own selection on MNIST-r (another machine).",
    ]
    return lines


if __name__ == "__main__":
    main()
