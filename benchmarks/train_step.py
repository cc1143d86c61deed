"""Compare the CPU time of a training step: tffs against PyTorch and JAX, one thread each.

Every measurement is a process of its own, pinned to one core, warmed up before it is timed. Variants take
turns over several rounds and the median counts, so that a noisy machine hits all alike. Results are written
after every measurement; the same command goes on from an unfinished file.

    python benchmarks/train_step.py [--quick] [--rounds=3]
"""

import os
import sys

if sys.path[0] == os.path.dirname(os.path.abspath(__file__)):
    # Run as a script, this folder would come first and its select.py would hide Python's own.
    sys.path[0] = os.path.dirname(sys.path[0])

import argparse
from typing import Any

from benchmarks import machine, train_step_report
from benchmarks.peers.problem import SIZES

VARIANTS = {
    "tffs": "tffs_step:jit",
    "PyTorch eager": "torch_step:eager",
    "PyTorch eager, fused Adam": "torch_step:eager_fused",
    "torch.compile": "torch_step:compile",
    "JAX scan": "jax_step:scan",
    "JAX scan, top_k rows": "jax_step:scan_top_k",
}
JAX_FLAGS = {"XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"}
PACKAGES = ("tensorflow", "keras", "torch", "jax", "jaxlib", "numpy")
CHECKED_SIZE, TOLERANCE = "M=256 K=50", 1e-4
QUICK_STEPS = {"M=256 K=10": 200, "M=256 K=20": 200, "M=256 K=50": 200, "M=4096 K=50": 20}


def main() -> None:
    """Check that the peers agree, measure what is left to measure, report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one round of few steps, results in a new folder")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--core", type=int, default=machine.last_core())
    arguments = parser.parse_args()
    folder = machine.output_folder(arguments.quick)
    path = os.path.join(folder, "train_step.json")
    steps = QUICK_STEPS if arguments.quick else {name: size.steps for name, size in SIZES.items()}
    rounds = 1 if arguments.quick else arguments.rounds
    results = _start(path, {"rounds": rounds, "steps": steps})
    results["checks"] = check(arguments.core)
    machine.write_json(path, results)
    done = {(row["round"], row["size"], row["variant"]) for row in results["measurements"]}
    for turn in range(rounds):
        for size in SIZES:
            for variant in ("peak", *VARIANTS):
                if (turn, size, variant) in done:
                    continue
                row = {"round": turn, "size": size, "variant": variant}
                row |= _child(variant, size, steps[size], arguments.core)
                results["measurements"].append(row)
                machine.write_json(path, results)
                print(_line(row), flush=True)
    results["finished"] = True
    machine.write_json(path, results)
    train_step_report.report(results, folder)


def check(core: int) -> dict[str, list[float]]:
    """Train the peers on one fixed episode from the same weights and compare their losses."""
    losses = {name: _child(name, CHECKED_SIZE, 0, core)["losses"] for name in VARIANTS}
    expected = losses["tffs"]
    worst = max(
        abs(value / wanted - 1.0)
        for values in losses.values()
        for value, wanted in zip(values, expected, strict=True)
    )
    verdict = "holds" if worst <= TOLERANCE else "DOES NOT HOLD"
    print(
        f"Same weights, episode, noise and tau give the same loss in all peers, over {len(expected)} steps of "
        f"Adam: {verdict} (losses {expected[0]:.5f} to {expected[-1]:.5f}, "
        f"largest relative difference {worst:.1e}, allowed {TOLERANCE:.0e}).",
        flush=True,
    )
    return losses


def _start(path: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Take up an unfinished results file with the same settings, or begin a new one."""
    stored = machine.read_json(path)
    if stored and stored["settings"] == settings and not stored["finished"]:
        print(f"Going on after {len(stored['measurements'])} measurements.")
        return stored
    about = machine.describe(PACKAGES)
    return {"settings": settings, "about": about, "finished": False, "measurements": []}


def _child(variant: str, size: str, steps: int, core: int) -> dict[str, Any]:
    worker = VARIANTS.get(variant, variant)
    environment = JAX_FLAGS if worker.startswith("jax") else None
    arguments = [worker, f"--size={size}", f"--steps={steps}", f"--core={core}"]
    return machine.run_child("benchmarks.train_step_worker", arguments, environment)


def _line(row: dict[str, Any]) -> str:
    measured = f"{row['gflops']:.1f} GFLOP/s" if "gflops" in row else f"{row['cpu_us']:.0f} us/step"
    return f"round {row['round'] + 1}  {row['size']:12}  {row['variant']:26} {measured}"


if __name__ == "__main__":
    main()
