"""Ask the embedded server of a posterior model 100,000 mixed questions while its versions change.

Three models of M = 256 and K = 20, each fitted to tasks of its own, take turns as new versions. 64 clients,
half over gRPC and half over REST, select within limits, reconstruct with intervals, ask how new a task is, and
now and then rank all features; tasks have 0 to 16 support rows. Every answer is compared with plain NumPy in
float64 (posterior_oracle.py), of the version that answered: gRPC names it; over REST it must be one that can
have been serving between the question and the answer.

    python -m benchmarks.serving_posterior [--quick] [--folder=KEPT]
"""

import argparse
import json
import os
import tempfile
import threading
import time
from typing import Any

import numpy as np

from benchmarks import machine
from benchmarks.serving_posterior_report import report

FEATURES, SELECTED, TASKS, ROWS, FACTORS = 256, 20, 10, 200, 24
MODELS = 3
REQUESTS, QUICK_REQUESTS = 100_000, 1_500
CLIENTS = 64
CHANGES, QUICK_CHANGES = 12, 3  # of the version, evenly over the requests
COUNTED = 5  # questions of each kind that are timed without a transport, and calls of each
BATCHES = (1, 16)


def main() -> None:
    """Run the load and write the results page, or one part as a child process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few requests, results in a new folder")
    parser.add_argument("--part", choices=("fit", "compute"), help="do this here and print JSON")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", help="keep the models here, and take those that are there")
    arguments = parser.parse_args()
    if arguments.part:
        part = {"fit": fit, "compute": compute}[arguments.part]
        print(json.dumps(part(arguments.folder, arguments.seed)))
        return
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    packages = ("tensorflow", "tensorflow-serving-api", "grpcio", "aiohttp", "numpy")
    results: dict[str, Any] = {"about": machine.describe(packages)}
    output = machine.output_folder(arguments.quick)
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.folder or scratch
        run(folder, scratch, arguments.quick, results, os.path.join(output, "serving_posterior.json"))
    page = "\n".join(report(results))
    with open(os.path.join(output, "serving_posterior.md"), "w", encoding="utf-8") as file:
        file.write(page + "\n")
    print(page)


def fit(folder: str, seed: int) -> dict[str, Any]:
    """Fit and export one model, with what it has learned beside it."""
    from benchmarks.posterior_oracle import learned_numbers
    from tffs import FewShotFeatureSelector, load_model

    rng = np.random.default_rng(seed)
    x = drawn_tasks(rng, clusters=8 if seed == MODELS - 1 else 0)
    selector = FewShotFeatureSelector(SELECTED, random_state=seed, method_params={"residual": "off"})
    began = time.perf_counter()
    selector.fit(x.reshape(-1, FEATURES), groups=np.repeat(np.arange(TASKS), ROWS))
    fitted = time.perf_counter() - began
    path = selector.export(os.path.join(folder, f"model{seed}"))
    selector.save(os.path.join(folder, f"saved{seed}"))
    model = load_model(os.path.join(folder, f"saved{seed}", "model.keras"))
    np.savez(os.path.join(folder, f"learned{seed}.npz"), **learned_numbers(model))
    components = len(np.asarray(model.selector.decoder.counts))
    return {"path": path, "components": components, "fit_seconds": fitted}


def drawn_tasks(rng: np.random.Generator, clusters: int) -> np.ndarray:
    """Draw tasks [tasks, rows, features]; with `clusters`, rows lie around centres.

    Units are the same for every model, because each is asked the same questions.
    """
    mixing = rng.standard_normal((FACTORS, FEATURES)) / np.sqrt(FACTORS)
    same = np.random.default_rng(MODELS)
    units, offset = 10.0 ** same.uniform(-2, 3, FEATURES), same.normal(size=FEATURES)
    x = rng.standard_normal((TASKS, ROWS, FACTORS)) @ mixing
    x += 0.4 * rng.standard_normal(x.shape) + 0.7 * rng.standard_normal((TASKS, 1, FEATURES))
    if clusters:
        x += (2.0 * rng.standard_normal((clusters, FEATURES)))[rng.integers(clusters, size=x.shape[:2])]
    return (units * (x + offset)).astype(np.float32)


def compute(folder: str, seed: int) -> dict[str, dict[str, float]]:
    """Time each kind of question as the server runs it, without a transport: milliseconds a task."""
    from benchmarks.serving_mix import inputs_of_kinds
    from tffs.serving.server.loaded_version import LoadedVersion

    version = LoadedVersion(os.path.join(folder, f"model{seed}", "1"), 1)
    learned = dict(np.load(os.path.join(folder, f"learned{seed}.npz")))
    times: dict[str, dict[str, float]] = {}
    for kind, (signature, ask) in inputs_of_kinds(learned, SELECTED).items():
        for tasks in BATCHES:
            rng = np.random.default_rng(2)
            medians = []
            for _ in range(COUNTED):
                inputs = {name: np.repeat(one, tasks, axis=0) for name, one in ask(rng, 8).items()}
                seconds = []
                for _ in range(COUNTED):
                    began = time.perf_counter()
                    version.run(version.signatures[signature], inputs)
                    seconds.append(time.perf_counter() - began)
                medians.append(float(np.median(seconds)))
            times.setdefault(kind, {})[str(tasks)] = 1e3 * float(np.mean(medians)) / tasks
    return times


def run(folder: str, scratch: str, quick: bool, results: dict[str, Any], written: str) -> None:
    """Fit, ask and publish; what is known is written as it comes.

    Args:
        folder: of the models.
        scratch: of what is served.
        quick: ask little.
        results: takes what is measured.
        written: the file that they are written to.
    """
    from benchmarks.serving_load import load, serving
    from benchmarks.serving_mix import Judge, mixed_questions
    from benchmarks.serving_soak import publish

    parts = []
    for seed in range(MODELS):
        kept = os.path.join(folder, f"model{seed}.json")
        if not os.path.exists(kept):
            machine.write_json(kept, _child("fit", folder, seed))
        parts.append(machine.read_json(kept))
        print(f"model {seed}: {parts[-1]}", flush=True)
    results["models"] = [{name: part[name] for name in ("components", "fit_seconds")} for part in parts]
    results["compute"] = _child("compute", folder, MODELS - 1)
    print(f"compute: {results['compute']}", flush=True)
    learned = [dict(np.load(os.path.join(folder, f"learned{seed}.npz"))) for seed in range(MODELS)]
    began = time.perf_counter()
    judge = Judge(MODELS)
    asked = mixed_questions(learned, judge, SELECTED, distinct=40 if quick else 400)
    results["oracle_seconds"], results["questions"] = time.perf_counter() - began, len(asked)
    print(f"{len(asked)} questions, answered in NumPy in {results['oracle_seconds']:.0f} s", flush=True)

    requests = QUICK_REQUESTS if quick else REQUESTS
    changes = QUICK_CHANGES if quick else CHANGES
    exports = os.path.join(scratch, "served")
    os.makedirs(exports)
    publish(parts[0]["path"], exports, 1)
    series: list[dict[str, float]] = []
    with serving(exports) as server:
        publishing: list[threading.Thread] = []

        def each_second(done: int) -> None:
            due = 1 + done * (changes + 1) // requests
            if judge.published < due <= changes + 1 and judge.seen == judge.published:
                version = judge.publish()
                path = parts[judge.model_of(version)]["path"]
                publishing.append(threading.Thread(target=publish, args=(path, exports, version)))
                publishing[-1].start()
            series.append(
                {
                    "seconds": time.perf_counter() - began,
                    "answered": done,
                    "memory_mb": server.memory_mb(),
                    "version": judge.seen,
                }
            )
            if len(series) % 15 == 0:
                machine.write_json(written, {**results, "series": series})
                print(series[-1], judge.counts, flush=True)

        began = time.perf_counter()
        measured = load(
            ("gRPC", "REST"), server, asked, CLIENTS, requests, each_second=each_second, mark=judge.mark
        )
        series.append(
            {
                "seconds": measured.seconds,
                "answered": len(measured.latencies),
                "memory_mb": server.memory_mb(),
                "version": judge.seen,
            }
        )
        for thread in publishing:
            thread.join()
    results.update(
        series=series,
        load={**measured.figures(), "seconds": measured.seconds, "failures": measured.failed[:20]},
        kinds={str(kind): measured.of_kind(kind) for kind in np.unique(measured.kinds)},
        checked={
            **judge.counts,
            "published": judge.published - 1,
            "answered_by": judge.answered_by,
            "worst": judge.worst,
        },
        examples=judge.examples[:20],
    )
    machine.write_json(written, results)


def _child(part: str, folder: str, seed: int) -> Any:
    return machine.run_child(
        "benchmarks.serving_posterior", [f"--part={part}", f"--folder={folder}", f"--seed={seed}"]
    )


if __name__ == "__main__":
    main()
