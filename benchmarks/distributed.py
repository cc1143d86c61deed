"""Measure training with several workers on this machine, beside the loop of one process.

Workers forgo XLA for the whole loop and wait for each other in every step; this says what that costs. Every
measurement is made in fresh processes with one thread each, or two where it says so; variants take turns over
several rounds and the median counts.

    python -m benchmarks.distributed [--quick] [--rounds=3]
"""

import argparse
import concurrent.futures
import json
import os
import statistics
import time
from typing import Any, NamedTuple

from benchmarks import machine

SIZE, EPISODES = "M=256 K=50", (2, 8, 32)
STEPS, QUICK_STEPS = 600, 60  # of 8 episodes; fewer steps of more
COMMAND = "python -m benchmarks.distributed"


class Variant(NamedTuple):
    """A way to train.

    Attributes:
        jit: compile with XLA.
        workers: processes joined by a strategy; 0 for the plain trainer's loop.
        threads: of each process.
    """

    jit: bool
    workers: int
    threads: int


BASE = "one process, XLA"
VARIANTS = {
    BASE: Variant(True, 0, 1),
    "one process, XLA, two threads": Variant(True, 0, 2),
    "one process, no XLA": Variant(False, 0, 1),
    "one worker": Variant(False, 1, 1),
    "two workers": Variant(False, 2, 1),
}


def main() -> None:
    """Measure everything and write the results page, or one process's part of a measurement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one round of few steps, results in a new folder")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--part", choices=VARIANTS, help="measure this here and print JSON")
    parser.add_argument("--episodes", type=int)
    parser.add_argument("--steps", type=int)
    arguments = parser.parse_args()
    if arguments.part:
        print(json.dumps(measure(VARIANTS[arguments.part], arguments.episodes, arguments.steps)))
        return
    rounds = 1 if arguments.quick else arguments.rounds
    results: dict[str, Any] = {
        "about": machine.describe(("tensorflow", "keras", "numpy")),
        "rounds": rounds,
        "measurements": [],
    }
    folder = machine.output_folder(arguments.quick)
    began = time.monotonic()
    for turn in range(rounds):
        for episodes in EPISODES:
            steps = max((QUICK_STEPS if arguments.quick else STEPS) * 8 // max(episodes, 8), 10)
            for name in VARIANTS:
                rate = _rate(name, episodes, steps)
                row = {"round": turn, "episodes": episodes, "variant": name, "steps_per_second": rate}
                results["measurements"].append(row)
                machine.write_json(os.path.join(folder, "distributed.json"), results)
                print(f"round {turn + 1}  {episodes:3} episodes  {name:30} {rate:8.1f} steps/s", flush=True)
    results["seconds"] = round(time.monotonic() - began)
    machine.write_json(os.path.join(folder, "distributed.json"), results)
    page = "\n".join(report(results))
    with open(os.path.join(folder, "distributed.md"), "w", encoding="utf-8") as file:
        file.write(page + "\n")
    print(page)


def _rate(name: str, episodes: int, steps: int) -> float:
    """Measure one variant in processes of its own; workers go at one pace, so the first one's rate counts."""
    child = [f"--part={name}", f"--episodes={episodes}", f"--steps={steps}"]
    count = VARIANTS[name].workers
    if not count:
        return machine.run_child("benchmarks.distributed", child)
    addresses = [f"localhost:{port}" for port in machine.free_ports(count)]
    environments = [
        {
            "TF_CONFIG": json.dumps(
                {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": index}}
            )
        }
        for index in range(count)
    ]
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        started = [pool.submit(machine.run_child, "benchmarks.distributed", child, env) for env in environments]
        return next(each.result() for each in started)


def measure(variant: Variant, episodes: int, steps: int) -> float:
    """Train at least so many steps after a warm-up of a chunk.

    Returns:
        Steps a second, drawing the episodes and the noise included.
    """
    from tffs.startup import start_tensorflow

    start_tensorflow(variant.threads)
    from benchmarks.peers import problem, tffs_step
    from tffs.distribute.cluster import read_cluster
    from tffs.distribute.joining import join
    from tffs.models import concrete_model
    from tffs.training.adam import Adam
    from tffs.training.chunks import Chunks
    from tffs.training.inner_loop import InnerLoop
    from tffs.training.workers import ALONE, Workers

    workers: Workers = join(read_cluster(os.environ), lambda note: None, 120.0) if variant.workers else ALONE
    size = problem.SIZES[SIZE]
    model = concrete_model(size.features, size.selected, size.selector_dim, size.embedding, size.hidden)
    model.build()
    chunks = Chunks(tffs_step.make_episodes(size), episodes, size.selected, 0)
    chunks = chunks.of_worker(workers.index, workers.count)
    loop = InnerLoop(
        model,
        Adam([variable.value for variable in model.trainable_variables], problem.LEARNING_RATE),
        chunks.spec,
        problem.ANNEALING_STEPS,
        problem.INITIAL_TEMPERATURE,
        problem.FINAL_TEMPERATURE,
        jit=variant.jit,
        workers=workers,
    )
    needed = -(-steps // chunks.length)
    for number, chunk in enumerate(chunks.dataset(0)):
        if number == 1:
            began = time.perf_counter()
        float(loop.run(chunk, number * chunks.length, 0, chunks.length))
        if number == needed:
            break
    return needed * chunks.length / (time.perf_counter() - began)


def report(results: dict[str, Any]) -> list[str]:
    """Write the results page."""
    lines = [
        *machine.header("Training with several workers", COMMAND, results["about"]),
        f"{SIZE}, N_S=4, N_Q=60: one step's episodes trained by one process, or shared by workers that "
        f"average their gradients in every step. Median of {results['rounds']} rounds, one thread a process "
        f"unless it says two; drawing included; {results['seconds']} s in all. All processes are on this one "
        "machine and share its cores.",
        "",
        "| episodes a step | | steps/s | lowest - highest | episodes/s | times one process, XLA |",
        "|---:|---|---:|---:|---:|---:|",
    ]
    costs = []
    for episodes in EPISODES:
        rates = {
            name: [
                row["steps_per_second"]
                for row in results["measurements"]
                if row["episodes"] == episodes and row["variant"] == name
            ]
            for name in VARIANTS
        }
        medians = {name: statistics.median(values) for name, values in rates.items()}
        for name, rate in medians.items():
            lines.append(
                f"| {episodes} | {name} | {rate:.1f} | {min(rates[name]):.1f} - {max(rates[name]):.1f} | "
                f"{episodes * rate:.0f} | {rate / medians[BASE]:.2f} |"
            )
        one, plain = medians["one worker"], medians["one process, no XLA"]
        costs.append(
            f"- {episodes} episodes a step: forgoing XLA takes {medians[BASE] / plain:.2f} times the time, the "
            f"strategy {plain / one:.2f} times that with one worker; two workers train "
            f"{medians['two workers'] / one:.2f} times as fast as one."
        )
    return [*lines, "", "What workers cost:", "", *costs]


if __name__ == "__main__":
    main()
