"""The laws of docs/scale.md, and that the page is what was measured."""

import dataclasses
import subprocess
import sys

import numpy as np
import pytest

from benchmarks import machine, scale, scale_report
from benchmarks.scale_model import LINK, MEMORY, Size, law, laws, plan, size_of
from benchmarks.scale_report import PAGE, TARGETS, filled, sections

ONE = [(Size(N=2.0, T=1.0, M=3.0), 1.0)]
LAWS = {
    "read": law("", "s", ("N",), ONE),  # 1/2 a row
    "sums full": law("", "s", ("N M",), ONE),  # 1/6
    "rest full": law("", "s", ("1",), ONE),  # 1
    "together full": law("", "bytes", ("1",), ONE),  # 1
}


def with_memory(**factors):
    """Give laws by which memory is a sum of such terms."""
    factors = {name.replace("_", " "): factor for name, factor in factors.items()}
    return {**LAWS, "together full": dataclasses.replace(LAWS["together full"], coefficients=factors)}


def test_a_law_finds_the_factors_that_costs_were_made_with():
    sizes = [Size(N=rows, M=features) for rows in (1e3, 1e4, 1e5) for features in (10.0, 100.0, 1000.0)]
    costs = [2e-9 * size.N * size.M + 3e-10 * size.N * size.M**2 for size in sizes]
    found = law("sums", "s", ("N", "N M", "N M²"), list(zip(sizes, costs, strict=True)))
    np.testing.assert_allclose([found.coefficients[name] for name in ("N M", "N M²")], [2e-9, 3e-10], rtol=1e-6)
    assert found.coefficients.get("N", 0.0) < 1e-12
    np.testing.assert_allclose(found.misses, 1.0, rtol=1e-6)
    assert found(Size(N=10.0, M=10.0)) == pytest.approx(2e-7 + 3e-7)


def test_work_on_rows_is_shared_and_the_rest_stays_with_the_main_process():
    found = plan(Size(N=12e7, T=50.0, M=3.0), LAWS)
    assert found.passes == 7  # three to read, the sums, two mixtures of the folds and one of all tasks
    assert found.spread_seconds == pytest.approx(7 * 6e7 + 6e7)
    assert found.main_seconds == pytest.approx(1.0)
    assert found.table_bytes == 4 * 12e7 * 3


def test_the_memory_of_the_main_process_follows_from_its_law():
    size = Size(N=1e6, T=1e5, M=100.0)
    found = plan(size, with_memory(**{"1": 7.0, "N": 30.0, "B": 2.0, "T_M": 50.0, "M²": 300.0, "G_M²": 40.0}))
    assert found.fitting_bytes == {
        "where each row is": 24e6,  # and not what a process holds that sums over the rows itself
        "sums and means of tasks": pytest.approx(50 * 1e7),
        "matrices": pytest.approx((300 + 40 * 40) * 1e4),
        "what any fit takes": 7.0,
    }
    assert found.main_bytes == sum(found.fitting_bytes.values())


def test_a_row_takes_most_memory_before_the_fit():
    found = plan(Size(N=1e9, T=1e3, M=100.0), with_memory(T_M=50.0))
    assert found.main_bytes == found.reading_bytes == 48e9
    said = scale_report._first_to_break({"rows": found})
    assert "48 GB (where each row is, while it reads)" in said


def test_sums_that_are_more_than_the_table_are_said_to_break_the_shuffle():
    found = plan(Size(N=1e9, T=1e3, M=100.0), LAWS)
    few = dataclasses.replace(found, spread_seconds=3600.0, shuffled_bytes=0.9 * found.table_bytes)
    assert "shuffle" not in scale_report._first_to_break({"": few})
    many = dataclasses.replace(few, shuffled_bytes=2e6 * LINK)
    said = scale_report._first_to_break({"": many})
    assert "the shuffle, up to 250 TB of sums, 625 times the table" in said
    assert "send for 556 hours and compute for 1." in said
    assert (scale_report._workers(few), scale_report._workers(many)) == ("1", "24")


def test_a_worker_measures_a_tiny_fit():
    tiny = ["--tasks=3", "--rows=8", "--features=4", "--rank=2"]
    found = machine.run_child(scale.WORKER, ["fit", *tiny])
    assert found["passes"] > 1.0
    assert found["rest_s"] > found["sums_s"] > 0.0
    together = machine.run_child(scale.WORKER, ["together", *tiny])
    assert together["recipe"] == found["recipe"]
    assert 1.0 < together["peak_mb"] < 200.0


def test_a_peak_does_not_hide_behind_memory_that_was_freed_before():
    code = """
import numpy as np
from benchmarks.scale_worker import peak_mb, restart_peak
freed = np.ones(40 * 2**20)
del freed
before = restart_peak()
nothing = peak_mb() - before
held = np.ones(10 * 2**20)
print(nothing, peak_mb() - before)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=machine.ROOT, capture_output=True, text=True, check=True
    )
    nothing, held = map(float, done.stdout.split())
    assert nothing < 5.0
    assert held == pytest.approx(80.0, abs=5.0)


def test_the_laws_of_memory_are_those_of_the_measured_peaks():
    found = machine.read_json(scale.RESULTS)
    known = laws(found)
    for full, kind in ((True, "full"), (False, "low rank")):
        for among, name in (("fits", "memory"), ("together", "together")):
            own = known[f"{name} {kind}"]
            assert set(own.coefficients) <= set(MEMORY[full])
            sizes = [one for one in found[among] if size_of(one).full == full]
            assert len(own.misses) == len(sizes) > len(own.coefficients)
            for one in sizes:
                assert 0.5 < one["peak_mb"] * 2**20 / own(size_of(one)) < 2.0, one
        plans = [plan(size, known) for size in TARGETS.values() if size.full == full]
        assert all(one.fitting_bytes["sums and means of tasks"] > 0.0 for one in plans)


def test_the_page_holds_what_was_measured():
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    made = sections(machine.read_json(scale.RESULTS))
    assert filled(page, made) == page
    assert all(f"<!-- measured: {name} -->" in page for name in made)


def test_every_size_was_measured():
    found = machine.read_json(scale.RESULTS)
    missing = [
        job for kind, job in scale.jobs() if not any(job.items() <= line.items() for line in found[kind])
    ]
    assert missing == []
