"""Do one job of posterior.py in a process of its own, and print what it took as one line of JSON."""

import argparse
import json
import os
import resource
import tempfile
import time
from typing import Any

FACTORS = 40  # that the features of a drawn table follow


def main() -> None:
    """Run the job that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    jobs = parser.add_subparsers(dest="job", required=True)
    table = ("tasks", "rows", "features")
    for job, sizes in (("fit", table), ("estimator", table), ("select", ("features", "count", "calls"))):
        one = jobs.add_parser(job)
        for size in sizes:
            one.add_argument(f"--{size}", type=int, required=True)
    arguments = vars(parser.parse_args())
    job = {"fit": fit, "estimator": estimator, "select": select}
    print(json.dumps(job[arguments.pop("job")](**arguments)))


def drawn(tasks: int, rows: int, features: int) -> tuple[Any, Any]:
    """Draw tasks that differ in their means and share a covariance: all rows, and whose they are."""
    import numpy as np

    from tffs.data.tasks import TaskRows

    rng = np.random.default_rng(0)
    mixing = rng.standard_normal((min(FACTORS, features), features), np.float32)
    x = np.empty((tasks * rows, features), np.float32)
    for task in range(tasks):
        here = x[task * rows : (task + 1) * rows]
        here[:] = rng.standard_normal((rows, len(mixing)), np.float32) @ mixing / np.float32(len(mixing) ** 0.5)
        here += 0.5 * rng.standard_normal(here.shape, np.float32) + rng.standard_normal(features, np.float32)
    names = tuple(f"task {task}" for task in range(tasks))
    return x, TaskRows.from_lists(names, list(np.arange(len(x)).reshape(tasks, rows)))


def fit(tasks: int, rows: int, features: int) -> dict[str, Any]:
    """Fit once, on all cores: from rows in memory to a model, with all that is chosen and calibrated."""
    from tffs.startup import start_tensorflow

    start_tensorflow(os.cpu_count() or 1)
    from tffs.posterior.fitting import fit_posterior, source_of

    x, named = drawn(tasks, rows, features)
    before = _peak_mb()
    began, used = time.perf_counter(), time.process_time()
    source, watching = source_of(x, named, None, None, 0)
    fitted = fit_posterior(source, watching, "standard", min(10, features), 0)
    return {
        "seconds": time.perf_counter() - began,
        "cpu_seconds": time.process_time() - used,
        "peak_mb": _peak_mb(),
        "peak_mb_before": before,
        "recipe": fitted.recipe.facts(),
    }


def estimator(tasks: int, rows: int, features: int) -> dict[str, Any]:
    """Fit from Python, with TensorFlow loaded and nothing traced before."""
    import numpy as np

    from tffs import FewShotFeatureSelector
    from tffs.startup import import_tensorflow

    import_tensorflow()
    x, _ = drawn(tasks, rows, features)
    groups = np.repeat(np.arange(tasks), rows)
    selector = FewShotFeatureSelector(min(10, features), random_state=0, method_params={"residual": "off"})
    before = _peak_mb()
    began, used = time.perf_counter(), time.process_time()
    selector.fit(x, groups=groups)
    return {
        "seconds": time.perf_counter() - began,
        "cpu_seconds": time.process_time() - used,
        "peak_mb": _peak_mb(),
        "peak_mb_before": before,
    }


def select(features: int, count: int, calls: int) -> dict[str, float]:
    """Export a model of a drawn table, load it and time its `select` signature with one task of 4 rows."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    from tffs.startup import start_tensorflow

    start_tensorflow(1)
    import numpy as np
    import tensorflow as tf

    from tffs.posterior.recipe import Kitchen, Recipe
    from tffs.posterior.source import Source
    from tffs.serving.export import export_model

    x, named = drawn(4, 800, features)
    kitchen = Kitchen(Source.of(x, named, np.arange(4)), np.ones(features), 0)
    with tempfile.TemporaryDirectory() as folder:
        names = [f"feature {index}" for index in range(features)]
        model = kitchen.model(Recipe(), count)
        began = time.perf_counter()
        path = export_model(model, names, 4, os.path.join(folder, "export"))
        export_seconds = time.perf_counter() - began
        began = time.perf_counter()
        loaded = tf.saved_model.load(path)
        load_seconds = time.perf_counter() - began
        megabytes = sum(
            os.path.getsize(os.path.join(place, name)) for place, _, files in os.walk(path) for name in files
        )
    asked = loaded.signatures["select"]
    support = tf.constant(x[None, :4])
    times = []
    for call in range(calls + max(calls // 10, 3)):
        began = time.perf_counter()
        asked(support=support)["indices"].numpy()
        if call >= max(calls // 10, 3):
            times.append(time.perf_counter() - began)
    return {
        **{f"p{level}_ms": 1e3 * float(np.percentile(times, level)) for level in (50, 90, 99)},
        "least_ms": 1e3 * min(times),
        "export_s": export_seconds,
        "load_s": load_seconds,
        "export_mb": megabytes / 2**20,
    }


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
