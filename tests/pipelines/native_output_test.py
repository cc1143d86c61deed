"""What is kept from a terminal, and what is not."""

import subprocess
import sys

PROGRAM = """
import os, subprocess, sys
from pipelines.native_output import native_output_to
print("before")
with open(sys.argv[1], "w") as file, native_output_to(file):
    print("for the person")
    print("and their errors", file=sys.stderr)
    os.write(2, b"native\\n")
    subprocess.run(["echo", "of a program"])
print("after")
os.write(2, b"native after\\n")
"""


def test_only_what_python_writes_reaches_the_terminal(tmp_path):
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "log")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "before\nfor the person\nafter\n"
    assert done.stderr == "and their errors\nnative after\n"
    assert (tmp_path / "log").read_text() == "native\nof a program\n"


def test_a_stream_that_was_closed_before_does_no_harm(tmp_path):
    command = f"{sys.executable} -c '{PROGRAM}' {tmp_path / 'log'} 2>&-"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("before\nfor the person\n")
    assert done.stdout.endswith("after\n")
