"""Measure one variant at one size, in a process of its own: what train_step.py starts."""

import argparse
import importlib
import json
import os
import time

from benchmarks import arithmetic
from benchmarks.peers.problem import SIZES, Peer

CHECK_STEPS = 5


def main() -> None:
    """Print one line of JSON: the rate, the losses on the fixed episode, or the measured times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variant", help="peak, or module:variant of a peer")
    parser.add_argument("--size", choices=SIZES)
    parser.add_argument("--steps", type=int, help="steps to measure; 0 to check the losses instead")
    parser.add_argument("--core", type=int, required=True)
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {arguments.core})
    if arguments.variant == "peak":
        answer = {"gflops": arithmetic.gflops()}
    else:
        module, variant = arguments.variant.split(":")
        peer = importlib.import_module(f"benchmarks.peers.{module}").make(SIZES[arguments.size], variant)
        answer = measure(peer, arguments.steps) if arguments.steps else {"losses": peer.losses(CHECK_STEPS)}
    print(json.dumps(answer))


def measure(peer: Peer, steps: int) -> dict[str, float]:
    """Time training steps after a warm-up of two chunks.

    Args:
        peer: what to train.
        steps: at least how many steps to time.

    Returns:
        CPU microseconds of all threads a step, wall microseconds a step, seconds the first chunk took above
        an ordinary one, which is tracing and compiling.
    """
    began = time.perf_counter()
    peer.run()
    first = time.perf_counter() - began
    peer.run()
    chunks = -(-steps // peer.chunk)
    cpu, wall = time.process_time(), time.perf_counter()
    for _ in range(chunks):
        peer.run()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return {
        "cpu_us": 1e6 * cpu / (chunks * peer.chunk),
        "wall_us": 1e6 * wall / (chunks * peer.chunk),
        "compile_s": max(first - wall / chunks, 0.0),
        "steps": chunks * peer.chunk,
    }


if __name__ == "__main__":
    main()
