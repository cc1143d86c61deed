"""The loop that gives cells to several workers, with fits that take no time."""

import pytest

from tests.processes.instant_pool import InstantPool
from tffs.experiments.grid import Cell
from tffs.experiments.lines import head
from tffs.experiments.runner import Runner
from tffs.processes.pool import Died

SHARED = [Cell(0, "a", 10, size, "cae_s") for size in (2, 4)]
ALONE = [[Cell(split, "a", 10, 2, "ours")] for split in range(3)]


def done(cell):
    return {**head(cell), "status": "ok", "error": None}


@pytest.fixture
def run():
    """Runs groups of cells, and gives the pool, the lines that were kept and what was shown."""

    def run(groups, do, stop_after=100):
        kept, shown = [], []
        pool = InstantPool(2, lambda job: do(job.cell))
        Runner(pool, 2, kept.append, shown.append, lambda: len(kept) >= stop_after).run(groups)
        return pool, kept, shown

    return run


def test_every_cell_gets_its_line_and_the_time_left_is_told(run):
    pool, kept, lines = run([SHARED, *ALONE], done)
    assert (pool.most, pool.closed) == (2, True)
    assert sorted(map(str, kept)) == sorted(str(done(cell)) for cell in [*SHARED, *(one for (one,) in ALONE)])
    first, second = SHARED[1], ALONE[0][0]
    assert lines[0] == f"1/5 cells  {first} (50 %)  {second} (50 %)"
    # The group took 10 s, so each of the others should; one of them is half done.
    assert lines[1] == f"2/5 cells  12 s left  {second} (50 %)"
    assert lines[-1] == "5/5 cells  0 s left"


def test_a_process_that_dies_costs_its_cells_alone(run):
    _, kept, lines = run([SHARED, *ALONE], lambda cell: Died(-9) if cell in SHARED else done(cell))
    failed = [line for line in kept if line["status"] == "failed"]
    assert [line["support_size"] for line in failed] == [2, 4]
    assert failed[0]["error"] == "its process died (exit code -9)"
    assert len(kept) == 5
    assert lines[-1] == "5/5 cells  2 failed  0 s left"


def test_a_wish_to_stop_leaves_what_is_done(run):
    pool, kept, _ = run([SHARED, *ALONE], done, stop_after=3)
    assert len(kept) == 3
    assert pool.closed


def test_a_place_does_the_kinds_of_groups_that_it_did_in_an_earlier_split():
    done_by = {}

    class Placed(InstantPool):
        def give(self, place, jobs):
            super().give(place, jobs)
            done_by[jobs[0].cell] = place

    groups = [[Cell(split, "a", k, 2, "ours")] for split in range(3) for k in (2, 10, 20, 30)]
    pool = Placed(2, lambda job: done(job.cell))
    Runner(pool, 2, lambda line: None, lambda text: None, lambda: False).run(groups)
    assert [cell.split for cell in done_by] == [0] * 4 + [1] * 4 + [2] * 4
    for (cell,) in groups:
        assert done_by[cell] == done_by[Cell(0, "a", cell.num_selected, 2, "ours")]
    assert set(done_by.values()) == {0, 1}
