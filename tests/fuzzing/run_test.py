"""A run of the fuzzer, with real processes on small targets."""

import json
import subprocess
import sys

import pytest

pytest.importorskip("atheris", reason="atheris is not installed here: make test installs it")

from benchmarks import machine
from tests.fuzzing.small_worker import DEADLY, SLOW


def _fuzz(folder, targets, seconds):
    """Run; gives what was noted of the targets, and the last line on standard error.

    The run is a process of its own, because libFuzzer counts the memory of the one that starts it, and this
    one may have TensorFlow.
    """
    (folder / "runs.jsonl").unlink(missing_ok=True)
    command = [sys.executable, "-m", "tests.fuzzing.small_run", str(folder), targets, str(seconds)]
    done = subprocess.run(command, cwd=machine.ROOT, capture_output=True, text=True)
    noted = [json.loads(line) for line in (folder / "runs.jsonl").read_text().splitlines()]
    found = any(run["findings"] for run in noted)
    assert done.returncode == found, done.stderr
    return noted, done.stderr.strip().rpartition("\n")[-1]


def _give(folder, target, case):
    """Put a case into the corpus of a target."""
    corpus = folder / target / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    (corpus / f"given-{len(list(corpus.iterdir()))}").write_bytes(case.to_bytes())


def test_reading_a_corpus_does_not_count_as_fuzzing(tmp_path):
    for _ in range(2):
        _give(tmp_path, "small", SLOW)
    [done], _ = _fuzz(tmp_path, "small", seconds=1.0)
    assert done["seconds"] >= 1
    assert done["elapsed"] >= 3
    assert not done["findings"]


def test_a_fuzzer_that_does_not_start_leaves_the_other_targets_their_turn(tmp_path):
    (vanishing, small), said = _fuzz(tmp_path, "vanishing,absent,small", seconds=0.2)
    assert said == f"The fuzzer does not start for absent: see log.txt in {tmp_path}/<target>."
    assert (vanishing["target"], small["target"]) == ("vanishing", "small")
    assert vanishing["executions"]
    first, second = vanishing["findings"]
    assert first == "the process ended with 3: without a word"
    assert second.startswith("the process ended with 1: FileExistsError: ")
    assert not small["findings"]


@pytest.mark.parametrize("kind", DEADLY)
def test_an_input_that_ends_the_process_is_a_finding_until_it_is_fixed(kind, tmp_path):
    _give(tmp_path, "broken", DEADLY[kind])
    [first], _ = _fuzz(tmp_path, "broken", seconds=0.2)
    [finding], [death] = first["findings"], first["deaths"]
    assert first["executions"]
    assert finding.startswith(f"{kind}-")
    assert finding.endswith(death)
    [kept] = tmp_path.glob("broken/found/deadly/*.case")
    assert kept.read_bytes() == DEADLY[kind].to_bytes()

    [again], _ = _fuzz(tmp_path, "broken", seconds=0.2)
    assert (again["findings"], again["deaths"]) == ([finding], [])

    (tmp_path / "fixed").touch()
    [fixed], _ = _fuzz(tmp_path, "broken", seconds=0.2)
    assert (fixed["findings"], fixed["deaths"]) == ([], [])
    assert not list(tmp_path.glob("broken/found/deadly/*"))
