from tests.tables.lines import result, run
from tffs.tables.provenance import core_time, provenance, runs_table, short
from tffs.tables.records import Run


def runs(*values):
    return [Run.from_line(line.pop("name", "main"), line) for line in values]


def test_a_table_names_command_commit_machine_time_steps_and_splits():
    used = [result("mnist_r", "ours", split, seconds=1800.0 + split) for split in range(3)]
    text = provenance(used, runs(run()))
    assert text == (
        "Made by `python -m tffs.main --flagfile=experiment_main.flags` (in main.jsonl), commit 0123456, on "
        "two cores (2 at a time), 50,000 steps. Rests on 3 splits; 1.5 core-hours of training (the commands "
        "took 1 min 00 s with all else that they did)."
    )


def test_commands_of_other_files_and_commits_are_not_named():
    used = [result("mnist_r", "ours", 0, seconds=1.0)]
    text = provenance(used, runs(run(), run("other file", name="pacs"), run("other code", commit="fedcba9876")))
    assert "other" not in text


def test_a_command_that_wrote_nothing_is_not_named():
    used = [result("mnist_r", "ours", 0, seconds=1.0)]
    assert "idle" not in provenance(used, runs(run(), run("idle", cells=0)))


def test_a_command_that_did_not_end_is_said():
    used = [result("mnist_r", "ours", 0, seconds=1.0)]
    stopped = run("stopped", wall_seconds=None, cells=None, started="later")
    assert "(the commands took 1 min 00 s with all else that they did, 1 did not end)" in provenance(
        used, runs(run(), stopped)
    )


def test_what_was_not_recorded_is_said():
    text = provenance([result("mnist_r", "ours", 0, commit=None)], [])
    assert "a command that is not recorded (in main.jsonl), commit unknown, on a machine that is not" in text


def test_datasets_with_different_splits_and_steps_are_told_apart():
    used = [result("mnist_r", "ours", split, seconds=1.0) for split in range(2)]
    used += [result("pacs_features", "ours", 0, seconds=1.0, steps=1000)]
    text = provenance(used, [])
    assert "steps: MNIST-r 50,000, PACS features 1,000" in text
    assert "Rests on splits: MNIST-r 2, PACS features 1;" in text


def test_of_many_commands_the_first_are_named():
    used = [result("mnist_r", "ours", 0, seconds=1.0)]
    text = provenance(used, runs(*(run(f"command {number}") for number in range(5))))
    assert "`command 0`, `command 1`, `command 2` and 2 more (see the end of the page)" in text


def test_a_training_that_several_cells_share_counts_once():
    shared = [result("mnist_r", "cae_s", 0, support_size, seconds=20.5) for support_size in (2, 4, 6)]
    apart = [result("mnist_r", "cae_s", 1, seconds=30.0), result("isolet", "cae_s", 0, seconds=20.5)]
    assert core_time(shared) == "20.5 core-seconds"
    assert core_time(shared + apart) == "1.2 core-minutes"
    assert core_time([result("mnist_r", "cae_s", 0)]) == "0.0 core-seconds"


def test_commits_are_short_and_keep_their_mark():
    assert short("0123456789abcdef") == "0123456"
    assert short("0123456789ab-dirty") == "0123456-dirty"


def test_bars_in_a_command_do_not_break_the_table_of_commands():
    table = runs_table(runs(run("tffs '--cells=method=ours|cae_s'", wall_seconds=None)))
    assert "ours\\|cae_s" in table
    assert "not ended" in table
