"""What a fit asks workers for, as benchmarks/scale_model.py counts it and as the code does."""

import numpy as np
import pytest

from benchmarks import scale_model
from benchmarks.posterior_worker import drawn
from benchmarks.scale_model import PASS_BYTES, Asked, Size, asked, plan, shared_out
from benchmarks.scale_worker import CountedRows, SharedPasses
from data_builders.table import table_dataset_builder
from tests.benchmarks.scale_test import LAWS
from tffs.posterior import choosing, fitting, sketch
from tffs.posterior import source as source_module
from tffs.posterior.fitting import fit_posterior, source_of

TASKS, ROWS = 20, 20


class Watched(SharedPasses):
    """Notes what is asked for."""

    def __init__(self, rows):
        super().__init__(rows)
        self.asked = []

    def sums(self, wanted):
        sums = [float(sum(array.nbytes for array in one.what.zeros().values())) for one in wanted]
        means = sum(one.means.nbytes for one in wanted if one.means is not None)
        self.asked.append((sums, means))
        return super().sums(wanted)


def asked_by_a_fit(features):
    x, named = drawn(TASKS, ROWS, features)
    counted = CountedRows(x)
    counted.passes = watched = Watched(CountedRows(x))
    source, watching = source_of(counted, named, None, None, 0)
    fit_posterior(source, watching, "standard", 2, 0)
    return watched.asked


def counted(size):
    return [([float(one) for one in request.sums], request.means) for request in asked(size)]


def test_full_matrices_are_asked_for_as_they_are_counted():
    expected = counted(Size(N=TASKS * ROWS, T=TASKS, M=6.0))
    found = asked_by_a_fit(6)
    of_folds = (
        1 + 2 * 11
    )  # sums, and two mixtures of eleven steps; what all tasks ask for depends on the recipe
    assert found[:of_folds] == expected[:of_folds]
    assert len(found) <= len(expected) == of_folds + 11


def test_a_low_rank_is_asked_for_as_it_is_counted(monkeypatch):
    for module in (source_module, scale_model):
        monkeypatch.setattr(module, "DENSE_FEATURES", 10)
    monkeypatch.setattr(sketch, "RANK", 2)
    assert asked_by_a_fit(40) == counted(Size(N=TASKS * ROWS, T=TASKS, M=40.0, r=2.0))


@pytest.mark.parametrize(
    ("size", "passes"),
    [
        (Size(N=1e9, T=1e3, M=100.0, r=160.0), 3 + 1 + 1 + 1 + 1),
        (Size(N=1e9, T=1e3, M=1e3, r=160.0), 3 + 1 + 1 + 3 + 1),  # 32 components of five folds are 1.3 GB
        (Size(N=1e6, T=1e3, M=1e4, r=160.0), 3 + 1 + 3 + 3),
        (Size(N=1e6, T=1e3, M=1e5, r=160.0), 3 + 1 + (2 + 2 + 1) + 3),  # sums of five folds are 680 MB
    ],
)
def test_passes_are_as_many_as_the_memory_of_workers_makes_of_them(size, passes):
    kind = "full" if size.full else "low rank"
    known = {f"{name.split()[0]} {kind}": law for name, law in LAWS.items()} | {"read": LAWS["read"]}
    found = plan(size, known)
    assert found.passes == passes
    # Every file hands on the sums of every pass.
    files = round(4 * size.N * size.M / 2**28)
    assert found.shuffled_bytes == pytest.approx(files * sum(sum(one.sums) for one in asked(size)))


def test_a_hundred_thousand_features_move_more_than_the_table():
    size = Size(N=1e6, T=1e3, M=1e5, r=160.0)
    five_folds, all_tasks = 8 * 1e5 * 170 * 5, 8 * 1e5 * 170
    moved = sum(sum(one.sums) for one in asked(size))
    assert moved == pytest.approx(2 * (five_folds + all_tasks), rel=0.02)  # twice; what is along them is small
    assert 1490 * moved > 5 * 4 * size.N * size.M


def test_a_pass_takes_as_many_sums_as_fit():
    third = PASS_BYTES / 3
    assert shared_out(Asked([third] * 5, [0.0] * 5, 0.0)) == [slice(0, 3), slice(3, 5)]
    assert shared_out(Asked([2.0 * PASS_BYTES] * 2, [0.0] * 2, 0.0)) == [slice(0, 1), slice(1, 2)]
    assert shared_out(Asked([1.0], [0.0], 0.0)) == [slice(0, 1)]


def test_what_is_counted_with_is_what_the_code_has():
    assert scale_model.COMPONENTS == choosing.COMPONENTS
    assert (scale_model.OWN_GROUPS, scale_model.GROUPS) == (fitting.OWN_GROUPS, fitting.GROUPS)
    assert scale_model.SHARD_BYTES == table_dataset_builder.SHARD_BYTES
    assert Size(M=source_module.DENSE_FEATURES).full
    assert np.isclose(scale_model.LINK * 8, 1e9)
