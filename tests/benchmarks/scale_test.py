"""The laws of docs/scale.md, and that the page is what was measured."""

import numpy as np
import pytest

from benchmarks import machine, scale
from benchmarks.scale_model import Size, law, plan
from benchmarks.scale_report import PAGE, filled, sections


def test_a_law_finds_the_factors_that_costs_were_made_with():
    sizes = [Size(N=rows, M=features) for rows in (1e3, 1e4, 1e5) for features in (10.0, 100.0, 1000.0)]
    costs = [2e-9 * size.N * size.M + 3e-10 * size.N * size.M**2 for size in sizes]
    found = law("sums", "s", ("N", "N M", "N M²"), list(zip(sizes, costs, strict=True)))
    np.testing.assert_allclose([found.coefficients[name] for name in ("N M", "N M²")], [2e-9, 3e-10], rtol=1e-6)
    assert found.coefficients.get("N", 0.0) < 1e-12
    np.testing.assert_allclose(found.misses, 1.0, rtol=1e-6)
    assert found(Size(N=10.0, M=10.0)) == pytest.approx(2e-7 + 3e-7)


def test_work_on_rows_is_shared_and_the_rest_stays_with_the_main_process():
    one = [(Size(N=2.0, T=1.0, M=3.0), 1.0)]
    laws = {
        "read": law("", "s", ("N",), one),  # 1/2 a row
        "sums full": law("", "s", ("N M",), one),  # 1/6
        "rest full": law("", "s", ("1",), one),  # 1
    }
    found = plan(Size(N=12.0, T=5.0, M=3.0), laws, passes=10.0, groups=2, components=4)
    assert found.spread_seconds == pytest.approx(10 * 6.0 + 6.0)
    assert found.main_seconds == pytest.approx(1.0)
    assert found.table_bytes == 4 * 12 * 3
    assert found.main_bytes["task sums"] == 8 * 5 * 3


def test_a_worker_measures_a_tiny_fit():
    found = machine.run_child(scale.WORKER, ["fit", "--tasks=3", "--rows=8", "--features=4", "--rank=2"])
    assert found["passes"] > 1.0
    assert found["rest_s"] > found["sums_s"] > 0.0


def test_the_page_holds_what_was_measured():
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    assert filled(page, sections(machine.read_json(scale.RESULTS))) == page


def test_every_size_was_measured():
    found = machine.read_json(scale.RESULTS)
    missing = [
        job for kind, job in scale.jobs() if not any(job.items() <= line.items() for line in found[kind])
    ]
    assert missing == []
