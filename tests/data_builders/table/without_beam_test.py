"""Where apache-beam is not installed, and what --beam_options may look like."""

import json
import os
import subprocess
import sys

import pytest

from tests.data_builders.table.files import write

# What `import apache_beam` does where it is not installed, whether it is or not.
WITHOUT_BEAM = """
import importlib.abc, json, sys
class Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "apache_beam":
            raise ModuleNotFoundError("No module named 'apache_beam'", name=name)
sys.meta_path.insert(0, Missing())
from tffs.main import main
print([main(["tffs", *arguments]) for arguments in json.loads(sys.argv[1])])
"""
CSV = "task,a\n" + "".join(f"{'uv'[i % 2]},{i % 7}\n" for i in range(40))


def test_the_plain_form_needs_no_beam_and_the_other_says_what_to_install(tmp_path):
    table = ["--mode=prepare", f"--table={write(tmp_path / 't.csv', CSV)}", "--task_column=task"]
    plain = [*table, f"--data_dir={tmp_path / 'data'}"]
    beam = [*plain, "--beam_options=runner=FlinkRunner,flink_submit_uber_jar"]
    command = [sys.executable, "-c", WITHOUT_BEAM, json.dumps([beam, plain, beam])]
    done = subprocess.run(command, capture_output=True, text=True)
    # What lies prepared in the end needs no Beam any more.
    assert done.stdout.splitlines()[-1] == "[1, 0, 0]", done.stderr
    assert [line for line in done.stderr.splitlines() if line.startswith("tffs: ")] == [
        "tffs: --beam_options needs Apache Beam, which cannot be imported (No module named 'apache_beam'): "
        "pip install 'tffs[beam]', or leave the flag out."
    ]


@pytest.mark.parametrize("given", ["runner=", "=DirectRunner", "--runner=x", "runner=x,,a=b"])
def test_options_are_names_and_most_have_values(given, run_main, tmp_path):
    path = write(tmp_path / "t.csv", CSV)
    outcome = run_main("--mode=prepare", f"--table={path}", "--task_column=task", f"--beam_options={given}")
    assert outcome.code == 1
    assert outcome.err.startswith("tffs: --beam_options must be options of Beam as name=value, or name alone")


def test_options_are_about_a_table(run_main):
    outcome = run_main("--mode=prepare", "--dataset=digits_r", "--beam_options=runner=DirectRunner")
    assert outcome.code == 1
    assert "--beam_options says something about a table, but --table is missing: add it." in outcome.err
    assert os.linesep not in outcome.err.strip()
