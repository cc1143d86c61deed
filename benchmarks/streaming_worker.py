"""Do one job of streaming.py in a process of its own, and print what it took as one line of JSON."""

import argparse
import json
import os
import resource
import time
from typing import Any

TASK = "task"


def main() -> None:
    """Run the job that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    jobs = parser.add_subparsers(dest="job", required=True)
    make = jobs.add_parser("make", help="write and prepare a table of random numbers")
    for size in ("tasks", "rows", "features"):
        make.add_argument(f"--{size}", type=int, required=True)
    train = jobs.add_parser("train", help="train on it")
    train.add_argument("--cache", required=True)
    train.add_argument("--cores", required=True, help="separated by commas")
    train.add_argument("--seconds", type=float, required=True)
    train.add_argument("--cold", action="store_true", help="forget the files' pages before the clock starts")
    for job in (make, train):
        job.add_argument("path")
        job.add_argument("--data_dir", required=True)
    arguments = vars(parser.parse_args())
    job = {"make": make_table, "train": train_on}
    print(json.dumps(job[arguments.pop("job")](**arguments)))


def make_table(path: str, data_dir: str, tasks: int, rows: int, features: int) -> None:
    """Write a Parquet file with as many rows for every task, a task at a time, and prepare it."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet

    names = [f"x{feature}" for feature in range(features)]
    schema = pa.schema([(TASK, pa.string()), *((name, pa.float32()) for name in names)])
    rng = np.random.default_rng(0)
    each = rows // tasks
    with pa.parquet.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
        for task in range(tasks):
            x = rng.random((features, each), np.float32)
            writer.write_table(pa.table([pa.array([f"t{task}"] * each), *x], schema), row_group_size=2048)
    from tffs.main import main as run

    flags = [f"--table={path}", f"--task_column={TASK}", f"--data_dir={data_dir}"]
    if run(["tffs", "--mode=prepare", *flags]):
        raise RuntimeError(f"{path} could not be prepared")


def train_on(
    path: str, data_dir: str, cache: str, cores: str, seconds: float, cold: bool
) -> dict[str, float | int]:
    """Start a run and train for some seconds with the paper's largest K.

    Returns:
        The seconds of the start, the steps a second, the CPU seconds a step, and the peak memory above what
        the imports took.
    """
    os.sched_setaffinity(0, {int(core) for core in cores.split(",")})
    from tffs.startup import start_tensorflow

    start_tensorflow(1)
    from tffs import flags
    from tffs.methods.gradient import concrete_of
    from tffs.planning.setting import settle
    from tffs.training.adam import Adam
    from tffs.training.inner_loop import InnerLoop

    place = (f"--table={path}", f"--task_column={TASK}", f"--data_dir={data_dir}", f"--cache={cache}")
    command = flags.parse(["tffs", *place, "--method=concrete", "--num_selected=50", "--jit=on"])
    before = _peak_mb()
    began = time.perf_counter()
    setting = settle(command.run, command.place, lambda sentence: None)
    start = time.perf_counter() - began
    config, model, chunks = (
        setting.config.training,
        concrete_of(setting),
        setting.chunks(setting.config.model.num_selected),
    )
    weights = [variable.value for variable in model.trainable_variables]
    optimizer = Adam(weights, config.learning_rate)
    temperatures = config.initial_temperature, config.final_temperature
    loop = InnerLoop(model, optimizer, chunks.spec, config.steps, *temperatures, jit=True)
    steps, drawn = 0, chunks.drawn(0)

    def train_chunk() -> None:
        float(loop.run(next(drawn), steps, 0, chunks.length))

    train_chunk()  # compiles
    if cold:
        _forget(setting.tasks.matrix)
    train_chunk()  # takes what was drawn ahead, so that what follows is drawn while the clock runs
    began, used = time.perf_counter(), time.process_time()
    while time.perf_counter() - began < seconds:
        train_chunk()
        steps += chunks.length
    wall, used = time.perf_counter() - began, time.process_time() - used
    return {
        "start_s": start,
        "steps_a_second": steps / wall,
        "cpu_ms_a_step": 1e3 * used / steps,
        "peak_mb": _peak_mb() - before,
    }


def _forget(rows: Any) -> None:
    """Let the kernel drop the pages of the prepared files, so that they are read from the disk."""
    for path in rows.records.paths:
        file = os.open(path, os.O_RDONLY)
        os.fsync(file)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
