"""Keep the embedded server under load for minutes while new versions are published, and count what is lost.

Versions alternate between two models, so an answer must be one of two, and the server must be seen to change
between them.

    python -m benchmarks.serving_soak [--minutes=10]
"""

import argparse
import asyncio
import itertools
import json
import os
import shutil
import tempfile
import time
import urllib.request
from typing import Any

from benchmarks import machine

SIZE = "M=256 K=50"
CLIENTS_EACH = 8
PUBLISH_SECONDS = 20.0
SETTLE_SECONDS = 12.0  # after which a new version must serve
KEPT = 3
COUNTED = 64  # questions


def main() -> None:
    """Soak, and write the results page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0, help="fewer than 10 go to a new folder")
    minutes = parser.parse_args().minutes
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    output = machine.output_folder(minutes < 10.0)
    results: dict[str, Any] = {
        "about": machine.describe(("tensorflow", "tensorflow-serving-api", "grpcio", "aiohttp")),
        "minutes": minutes,
        "swaps": [],
    }
    with tempfile.TemporaryDirectory() as folder:
        soak(folder, minutes, results, os.path.join(output, "serving_soak.json"))
    page = "\n".join(report(results))
    with open(os.path.join(output, "serving_soak.md"), "w", encoding="utf-8") as file:
        file.write(page + "\n")
    print(page)


def soak(folder: str, minutes: float, results: dict[str, Any], written: str) -> None:
    """Ask over both protocols all the time, publish a version every 20 seconds, write down what happens."""
    from benchmarks.serving import export
    from benchmarks.serving_load import questions, serving

    models = [os.path.join(folder, name) for name in ("first", "second")]
    paths = [export(SIZE, model, seed) for seed, model in enumerate(models)]
    asked = [questions(path, COUNTED) for path in paths]
    pairs = list(zip(*asked, strict=True))
    exports = os.path.join(folder, "served")
    os.makedirs(exports)
    publish(paths[0], exports, 1)
    with serving(exports) as server:
        asyncio.run(_soak(server, pairs, paths, exports, 60.0 * minutes, results, written))


def publish(path: str, exports: str, version: int) -> None:
    """Let a version appear at once, and old ones vanish at once."""
    parent = os.path.dirname(exports)
    shutil.copytree(path, os.path.join(parent, f".new-{version}"))
    os.rename(os.path.join(parent, f".new-{version}"), os.path.join(exports, str(version)))
    old = os.path.join(exports, str(version - KEPT))
    if os.path.isdir(old):
        os.rename(old, os.path.join(parent, f".old-{version}"))
        shutil.rmtree(os.path.join(parent, f".old-{version}"))


async def _soak(
    server: Any, pairs: list, paths: list[str], exports: str, seconds: float, results: dict[str, Any], file: str
) -> None:
    from benchmarks.serving_load import CLIENTS

    counts = {"answered": 0, "wrong": 0, "first": 0, "second": 0, "failed": 0}
    failures: list[str] = []
    slowest = 0.0
    began = time.monotonic()

    async def client(ask: Any, number: int) -> None:
        nonlocal slowest
        while time.monotonic() - began < seconds:
            question, other = pairs[number % len(pairs)]
            number += 1
            start = time.monotonic()
            try:
                answer = await ask(question)
            except Exception as error:  # whatever it is, a request was lost
                counts["failed"] += 1
                failures.append(repr(error)[:300])
                continue
            slowest = max(slowest, time.monotonic() - start)
            counts["answered"] += 1
            which = (
                "first" if question.right(answer, None) else "second" if other.right(answer, None) else "wrong"
            )
            counts[which] += 1

    async def publisher() -> None:
        nonlocal slowest
        for version in itertools.count(2):
            due = (version - 1) * PUBLISH_SECONDS
            if due + SETTLE_SECONDS > seconds:
                return
            await asyncio.sleep(due - (time.monotonic() - began))
            await asyncio.to_thread(publish, paths[(version + 1) % 2], exports, version)
            await asyncio.sleep(SETTLE_SECONDS)
            serving_now = await asyncio.to_thread(_version, server.rest_port)
            results["swaps"].append(
                {
                    "seconds": time.monotonic() - began,
                    "published": version,
                    "serving": serving_now,
                    "memory_mb": server.memory_mb(),
                    "slowest_ms": 1e3 * slowest,
                    **counts,
                }
            )
            slowest = 0.0
            machine.write_json(file, results)
            print(results["swaps"][-1], flush=True)

    async with CLIENTS["gRPC"](server) as grpc_ask, CLIENTS["REST"](server) as rest_ask:
        clients = [client(ask, 7 * n) for n in range(CLIENTS_EACH) for ask in (grpc_ask, rest_ask)]
        await asyncio.gather(publisher(), *clients)
    results["totals"] = {**counts, "failures": failures[:20], "seconds": time.monotonic() - began}
    machine.write_json(file, results)


def _version(port: int) -> list[int]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/models/tffs", timeout=30) as answer:
        states = json.load(answer)["model_version_status"]
    return [int(state["version"]) for state in states if state["state"] == "AVAILABLE"]


def report(results: dict[str, Any]) -> list[str]:
    """Write the results page."""
    totals, swaps = results["totals"], results["swaps"]
    title = f"The embedded server under load, {results['minutes']:g} minutes"
    lines = machine.header(title, "python -m benchmarks.serving_soak", results["about"])
    current = sum(swap["serving"] == [swap["published"]] for swap in swaps)
    lost = totals["failed"] + totals["wrong"]
    lines += [
        f"{CLIENTS_EACH} gRPC and {CLIENTS_EACH} REST clients ask all the time ({SIZE}) while a new version, "
        f"in turn of two models, appears every {PUBLISH_SECONDS:g} s and all but {KEPT} are deleted.",
        "",
        f"- Requests answered: {totals['answered']:,} ({totals['answered'] / totals['seconds']:,.0f} a "
        f"second), {totals['first']:,} by the first model, {totals['second']:,} by the second.",
        f"- Lost: {totals['failed']}, wrong: {totals['wrong']}: {'met' if not lost else 'MISSED'}.",
        f"- Versions published: {len(swaps)}; serving alone {SETTLE_SECONDS:g} s later: {current}.",
        f"- Memory: {swaps[0]['memory_mb']:.0f} MB after the first change, {swaps[-1]['memory_mb']:.0f} MB "
        f"after the last, at most {max(swap['memory_mb'] for swap in swaps):.0f} MB.",
        f"- The slowest answer around a change: {max(swap['slowest_ms'] for swap in swaps):.0f} ms.",
    ]
    return lines


if __name__ == "__main__":
    main()
