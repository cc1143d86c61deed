"""Lines like those of --mode=experiment, with figures that a test chooses."""

import json

from tffs.tables.records import Result


def line(dataset, method, split=0, support_size=2, num_selected=10, **values):
    """Make a line; every figure that is not given is missing."""
    figures = ("msre", "ari", "nmi", "accuracy", "distinct", "stability", "seconds", "select_seconds")
    return {
        "dataset": dataset,
        "method": method,
        "support_size": support_size,
        "num_selected": num_selected,
        "split": split,
        "seed": split,
        "target_task": f"task{split % 3}",
        "validation_task": None,
        "selected": ["a", "b"],
        "status": "ok",
        "error": None,
        "steps": 50000,
        "best_step": 50000,
        "commit": "0123456789ab",
        **dict.fromkeys(figures),
        **values,
    }


def failed(dataset, method, split=0, error="ValueError: no"):
    return line(dataset, method, split, status="failed", error=error, target_task=None, steps=None)


def result(*arguments, name="main", **values):
    return Result.from_line(name, line(*arguments, **values))


def run(command="python -m tffs.main --flagfile=experiment_main.flags", **values):
    return {
        "command": command,
        "commit": "0123456789ab",
        "machine": "two cores",
        "workers": 2,
        "started": "2026-01-01T00:00:00+00:00",
        "versions": {"numpy": "2.0"},
        "wall_seconds": 60.0,
        "cells": 3,
        **values,
    }


def picture(method, selected=(0, 13), **values):
    """Make a line with ten images of 4 x 6 pixels."""
    originals = [[(image + pixel) % 7 / 7 for pixel in range(24)] for image in range(10)]
    return {
        "dataset": "mnist_r",
        "method": method,
        "support_size": 4,
        "num_selected": 20,
        "split": 0,
        "target_task": "rot45",
        "shape": [4, 6],
        "labels": list(range(10)),
        "originals": originals,
        "reconstructions": [[value / 2 for value in image] for image in originals],
        "selected_indices": list(selected),
        **values,
    }


def write(folder, name, lines, ending=""):
    """Append lines to a file of a results folder."""
    folder.mkdir(exist_ok=True)
    with open(folder / f"{name}.jsonl", "a", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(values)}\n" for values in lines)
        file.write(ending)


def rows_of(table):
    """Read a Markdown table back: a list of cells a row, the header first."""
    lines = [row.strip("| ").split(" | ") for row in table.splitlines()]
    return [[cell.strip() for cell in row] for number, row in enumerate(lines) if number != 1]
