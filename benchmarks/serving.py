"""Measure the embedded server under load, beside what a user would do without it on the same rows.

The server is a process of its own, the clients are this one, and each keeps one core busy. The models are
untrained: what they select does not change what it costs. Every answer is checked.

    python -m benchmarks.serving [--quick]
"""

import argparse
import json
import os
import sys
import tempfile
import time
from typing import Any

import numpy as np

from benchmarks import machine
from benchmarks.peers.problem import SIZES

MEASURED = ("M=256 K=50", "M=4096 K=50")
CONCURRENCIES = (1, 8, 64)
PROTOCOLS = ("gRPC", "REST")
SECONDS, QUICK_SECONDS = 4.0, 0.5
ROUNDS = 3  # batching on and off in turn, so that a slow minute of the machine meets both
LONG, QUICK_LONG = 100_000, 2_000
BAR_MS = 2.0
FLAT_MB = 10.0
FINE_TUNING_STEPS = 1000


def main() -> None:
    """Measure everything and write the results page, or one part as a child process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="short loads, results in a new folder")
    parser.add_argument("--part", choices=("export", "compute", "peers"), help="do this here and print JSON")
    parser.add_argument("--size", choices=MEASURED)
    parser.add_argument("--folder", help="of the exports")
    arguments = parser.parse_args()
    if arguments.part:
        part = {"export": export, "compute": compute, "peers": peers}[arguments.part]
        print(json.dumps(part(arguments.size, arguments.folder)))
        return
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    packages = ("tensorflow", "tensorflow-serving-api", "grpcio", "aiohttp", "numpy", "skfeature-chappers")
    results: dict[str, Any] = {"about": machine.describe(packages)}
    with tempfile.TemporaryDirectory() as folder:
        for size in MEASURED:
            results[size] = measure(size, os.path.join(folder, size.replace(" ", "_")), arguments.quick)
    folder = machine.output_folder(arguments.quick)
    machine.write_json(os.path.join(folder, "serving.json"), results)
    page = "\n".join(report(results))
    with open(os.path.join(folder, "serving.md"), "w", encoding="utf-8") as file:
        file.write(page + "\n")
    print(page)


def measure(size: str, folder: str, quick: bool) -> dict[str, Any]:
    """Measure one size: compute alone, the loads, the long load, and the peers."""
    from benchmarks.serving_load import load, questions, serving

    parts = {
        part: machine.run_child(
            "benchmarks.serving", [f"--part={part}", f"--size={size}", f"--folder={folder}"]
        )
        for part in ("export", "compute", "peers")
    }
    print(f"{size}: {parts}", flush=True)
    asked = questions(parts["export"], 64)
    seconds = QUICK_SECONDS if quick else SECONDS
    cells: dict[str, list[dict[str, float]]] = {}
    exports = os.path.dirname(parts["export"])
    with serving(exports, True) as batching, serving(exports, False) as single:
        servers = {"on": batching, "off": single}
        for protocol in PROTOCOLS:
            for concurrency in CONCURRENCIES:
                for _ in range(ROUNDS):
                    for name, server in servers.items():
                        cell = f"{protocol}, {concurrency}, {name}"
                        measured = load(protocol, server, asked, concurrency, seconds=seconds).figures()
                        cells.setdefault(cell, []).append(measured)
                for name in servers:
                    cell = f"{protocol}, {concurrency}, {name}"
                    print(f"{size}, {cell}: {_middle(cells[cell])}", flush=True)
    result = {"compute": parts["compute"], "peers": parts["peers"], "cells": cells}
    if size == MEASURED[0]:
        with serving(exports) as server:
            memory: list[tuple[int, float]] = []
            long = load(
                *("gRPC", server, asked, 64, QUICK_LONG if quick else LONG),
                each_second=lambda done: memory.append((done, server.memory_mb())),
            )
            memory.append((len(long.latencies), server.memory_mb()))
            result["long"] = {**long.figures(), "memory_mb": memory}
        print(f"{size}, long: {long.figures()}", flush=True)
    return result


def export(size_name: str, folder: str, seed: int = 0) -> str:
    """Export an untrained model; returns the version's path."""
    from tffs.models import concrete_model
    from tffs.serving.export import export_model

    size = SIZES[size_name]
    model = concrete_model(
        size.features, size.selected, size.selector_dim, size.embedding, size.hidden, seed=seed
    )
    model.build()
    names = [f"feature {index}" for index in range(size.features)]
    os.makedirs(folder)
    return export_model(model, names, size.support, os.path.join(folder, "export"))


def compute(size_name: str, folder: str) -> dict[str, float]:
    """Time the model as the server runs it, without a transport: milliseconds for 1 task and for 64 at once."""
    from tffs.serving.server.loaded_version import LoadedVersion

    size = SIZES[size_name]
    version = LoadedVersion(os.path.join(folder, "export", "1"), 1)
    signature = version.signatures["serving_default"]
    rng = np.random.default_rng(0)
    times = {}
    for tasks in (1, 64):
        support = rng.random((tasks, size.support, size.features), dtype=np.float32)
        times[str(tasks)] = 1e3 * _median(lambda s=support: version.run(signature, {"support": s}), 300)
    return times


def peers(size_name: str, folder: str) -> dict[str, float]:
    """Time what a user would do instead on the rows of one request, in milliseconds."""
    from tffs.baselines.scikit_feature import library_laplacian_ranking

    size = SIZES[size_name]
    rows = np.random.default_rng(1).random((size.support, size.features), dtype=np.float32)
    return {
        "laplacian": 1e3 * _median(lambda: library_laplacian_ranking(rows, size.support - 1, 1.0), 30),
        "fine_tuning": 1e3 * _fine_tune(size, rows),
    }


def _fine_tune(size: Any, rows: np.ndarray) -> float:
    """Train a concrete autoencoder on the support rows for the paper's 1000 steps; seconds."""
    import tensorflow as tf

    from tffs.config import TrainingConfig
    from tffs.data import draws
    from tffs.data.episodes import EpisodeGenerator
    from tffs.data.tasks import TaskRows
    from tffs.models import concrete_model
    from tffs.training.chunks import Chunks
    from tffs.training.progress import Progress
    from tffs.training.session import Session
    from tffs.training.trainer import Trainer

    tf.config.threading.set_intra_op_parallelism_threads(1)
    model = concrete_model(
        *(size.features, size.selected),
        embedding_units=size.embedding,
        decoder_units=size.hidden,
        task_code_dim=0,
        selector="direct",
        seed=0,
    )
    model.build()
    pool = TaskRows.from_lists(("support",), [np.arange(len(rows))])
    episodes = EpisodeGenerator(tf.constant(rows), pool, 0, len(rows), 0, draws.TRAINING_EPISODES)
    training = TrainingConfig(
        steps=FINE_TUNING_STEPS,
        initial_temperature=0.01,
        eval_every=FINE_TUNING_STEPS,
        jit="off",
    )
    chunks = Chunks(episodes, 1, size.selected, 0)
    trainer = Trainer(model, chunks, None, training, Session(Progress(sys.stderr)))
    return trainer.fit().train_seconds


def _median(call: Any, count: int) -> float:
    for _ in range(max(count // 10, 2)):
        call()
    times = []
    for _ in range(count):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return float(np.median(times))


def report(results: dict[str, Any]) -> list[str]:
    """Write the results page."""
    lines = machine.header("The embedded server", "python -m benchmarks.serving", results["about"])
    lines += [
        "One task of 4 support rows a request; server and clients on the same machine, a process each; every "
        f"answer compared with the model's. Each line is the median of {ROUNDS} rounds, batching on and off in "
        "turn. TF Serving itself was not run here.",
        "",
    ]
    for size in MEASURED:
        lines += _size(size, results[size])
    return lines + _bars(results)


def _size(size: str, result: dict[str, Any]) -> list[str]:
    alone, together = result["compute"]["1"], result["compute"]["64"]
    laplacian, tuning = result["peers"]["laplacian"], result["peers"]["fine_tuning"]
    lines = [
        f"## {size}",
        "",
        f"Compute without a transport: {alone:.3f} ms for one task, {together:.3f} ms for 64 at once "
        f"({1e3 * together / 64:.1f} us a task).",
        "",
        "| protocol | at once | batching | p50 ms | p99 ms | requests/s | gain of batching |",
        "|---|---|---|---|---|---|---|",
    ]
    for protocol in PROTOCOLS:
        for concurrency in CONCURRENCIES:
            for name in ("on", "off"):
                cell = _middle(result["cells"][f"{protocol}, {concurrency}, {name}"])
                gain = f"{_gain(result, protocol, concurrency):.2f}x" if name == "on" else ""
                lines.append(
                    f"| {protocol} | {concurrency} | {name} | {cell['p50_ms']:.2f} | {cell['p99_ms']:.2f} | "
                    f"{cell['requests_a_second']:,.0f} | {gain} |"
                )
    p50 = _middle(result["cells"]["gRPC, 1, on"])["p50_ms"]
    return [
        *lines,
        "",
        "What a user would do instead on the same rows, in his own process: scikit-feature's Laplacian score "
        f"{laplacian:.2f} ms ({laplacian / p50:.2f} times a gRPC request), a concrete autoencoder fine-tuned "
        f"for {FINE_TUNING_STEPS} steps {tuning:,.0f} ms ({tuning / p50:,.0f} times).",
        "",
    ]


def _bars(results: dict[str, Any]) -> list[str]:
    small = results[MEASURED[0]]
    long = small["long"]
    p50 = _middle(small["cells"]["gRPC, 1, on"])["p50_ms"]
    gains = {(s, p): _gain(results[s], p, 64) for s in MEASURED for p in PROTOCOLS}
    settled = [memory for done, memory in long["memory_mb"] if done >= long["requests"] // 5]
    grown = settled[-1] - settled[0]
    every = [cell for size in MEASURED for rounds in results[size]["cells"].values() for cell in rounds]
    bad = sum(cell["failed"] + cell["wrong"] for cell in every) + long["failed"] + long["wrong"]
    shown = ", ".join(f"{size} {protocol} {gain:.2f}x" for (size, protocol), gain in gains.items())
    return [
        "## Bars",
        "",
        f"- gRPC p50 at M=256, one client: {p50:.2f} ms, bar {BAR_MS} ms: {_met(p50 < BAR_MS)}.",
        f"- {long['requests']:,} gRPC requests, 64 at once: {long['failed']} failed, {long['wrong']} wrong, "
        f"{long['requests_a_second']:,.0f} a second; memory {settled[0]:.0f} MB after a fifth of them, "
        f"{settled[-1]:.0f} MB at the end (at most {max(settled):.0f}): "
        f"{_met(not long['failed'] and not long['wrong'] and grown < FLAT_MB)}.",
        f"- Batching at 64 at once is never a loss: {shown}: {_met(min(gains.values()) >= 1.0)}.",
        f"- Failed or wrong answers in all loads: {bad}.",
    ]


def _gain(result: dict[str, Any], protocol: str, concurrency: int) -> float:
    on, off = (_middle(result["cells"][f"{protocol}, {concurrency}, {name}"]) for name in ("on", "off"))
    return on["requests_a_second"] / off["requests_a_second"]


def _middle(rounds: list[dict[str, float]]) -> dict[str, float]:
    return {name: float(np.median([one[name] for one in rounds])) for name in rounds[0]}


def _met(condition: bool) -> str:
    return "met" if condition else "MISSED"


if __name__ == "__main__":
    main()
