"""What docs/scale.md says of runs with Beam, asked of the code that runs with it."""

import dataclasses
import tracemalloc
import types

import numpy as np
import pytest

pytest.importorskip("apache_beam", reason="apache-beam is not installed here: pip install '.[beam]'")

from benchmarks.scale_model import FITTING, PASS_BYTES, READING, Asked, shared_out
from tffs.data import beam_sums
from tffs.data.beam_index import indexed
from tffs.data.beam_shards import Shard
from tffs.data.beam_sums import BeamPasses
from tffs.data.sums import BY_TASK
from tffs.data.tasks import Tasks
from tffs.flags.command import command_of
from tffs.planning.plan import plan
from tffs.planning.setting import settle_rows
from tffs.posterior.fitting import source_of

ROWS, TASKS = 400_000, 20


class Runner:
    """Gives what workers would leave of a table of one feature."""

    prepared = types.SimpleNamespace(drop=False, width=1)
    shards = tuple(Shard(number, "", number * ROWS // 4, ROWS // 4) for number in range(4))
    states = ()

    def outcome(self, asked, build, read):
        """Find all rows kept, of 40 bytes each."""
        return [
            {"sizes": np.full(shard.length, 40, np.uint32), "kept": np.ones(shard.length, bool)}
            for shard in self.shards
        ]


class Passes(BeamPasses):
    """Computes nothing, but all that the main process needs for it."""

    def scaled(self, scale):
        return Passes(self.runner, self._records, self._offsets, scale)

    def _pass(self, wanted):
        for part in self.jobs(wanted).told_apart_by():
            assert part
        return [
            {name: array + 1.0 for name, array in one.what.zeros().items()}
            | {BY_TASK: np.ones((len(one.chosen), 1))}
            for one in wanted
        ]


class Table:
    """A prepared table that is not there."""

    labelled, width, block_rows = False, 1, 4096

    def __len__(self):
        return ROWS


class Rows:
    """The rows of it: all zeros."""

    shape = (ROWS, 1)

    def __init__(self, stored):
        self._stored, self.passes = stored, stored.passes

    def __getitem__(self, rows):
        return np.zeros((len(rows), 1), np.float32)


def test_a_row_takes_as_many_bytes_of_the_main_process_as_the_plan_says(tmp_path, monkeypatch):
    monkeypatch.setattr(beam_sums, "LOOKED_UP", 2**10)
    run = command_of(
        {"table": str(tmp_path), "target_task": "none", "num_selected": 1, "scaling": "standard"}
    ).run
    names = tuple(map(str, range(TASKS)))
    sizes = Tasks.of_sizes(("x",), names, np.full(TASKS, ROWS // TASKS))
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        planned = plan(run, sizes, lambda sentence: None)
        runner = Runner()
        rows = indexed(runner, Table())
        passes = Passes(runner, sizes.offsets, rows.before[sizes.offsets])
        tasks = Tasks(dataclasses.replace(rows.matrix, passes=passes), ("x",), names, sizes.offsets)
        del rows, passes
        setting = settle_rows(planned, tasks, lambda sentence: None)
        del tasks
        reading = tracemalloc.get_traced_memory()[1] - before
        source, _ = source_of(Rows(setting.tasks.matrix), setting.split.train, None, None, 0)
        assert source.sums
        fitting = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert reading / ROWS == pytest.approx(READING, abs=1.0)
    assert fitting / ROWS == pytest.approx(FITTING, abs=1.0)


def test_sums_are_shared_out_to_passes_as_the_plan_says(monkeypatch):
    assert beam_sums.WORKER_BYTES == PASS_BYTES
    made = []
    monkeypatch.setattr(BeamPasses, "_pass", lambda self, batch: made.append(len(batch)) or batch)
    monkeypatch.setattr(beam_sums, "WORKER_BYTES", 512)
    monkeypatch.setattr("benchmarks.scale_model.PASS_BYTES", 512)
    for sizes in ((136,) * 5, (600, 600), (8,), (256, 256, 256), (8, 600, 8, 400, 112, 8)):
        wanted = [
            types.SimpleNamespace(what=types.SimpleNamespace(zeros=lambda size=size: {"": np.zeros(size // 8)}))
            for size in sizes
        ]
        made.clear()
        BeamPasses(None, None, None).sums(wanted)
        parts = shared_out(Asked(list(sizes), [0] * len(sizes), 0))
        assert [part.stop - part.start for part in parts] == made, sizes
