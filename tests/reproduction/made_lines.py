"""Lines like those of --mode=experiment, with figures that a test chooses."""

import json

import pandas as pd

from reproduction.lines import CELL
from reproduction.names import METRICS


def line(dataset, method, split=0, support_size=2, num_selected=10, **values):
    """Make a line; every figure that is not given is missing."""
    return {
        **dict(zip(CELL, (dataset, method, support_size, num_selected, split), strict=True)),
        **{"seed": split, "target_task": f"task{split % 3}", "status": "ok", "error": None},
        **{"steps": 50000, "commit": "0123456789ab"},
        **values,
    }


def failed(dataset, method, split=0, error="ValueError: no"):
    return line(dataset, method, split, status="failed", error=error, target_task=None, steps=None)


def frame(*groups):
    """Make of lines what `load_lines` gives."""
    lines = [line for group in groups for line in ([group] if isinstance(group, dict) else group)]
    columns = [*CELL, "seed", "target_task", "status", "error", "steps", "commit", *METRICS]
    table = pd.DataFrame(lines, columns=columns).assign(file="main")
    return table.astype(dict.fromkeys(METRICS, float)).assign(ok=table["status"] == "ok")


def grid(dataset, metric, values, splits=5, **others):
    """Make lines of methods whose figure is their own plus the split."""
    return [
        line(dataset, method, split, **{metric: value + split, **others})
        for method, value in values.items()
        for split in range(splits)
    ]


def run(command="python -m tffs.main --flagfile=experiment_main.flags", **values):
    return {
        **{"command": command, "commit": "0123456789ab", "machine": "two cores", "workers": 2},
        **{
            "started": "2026-01-01T00:00:00+00:00",
            "versions": {"numpy": "2.0"},
            "wall_seconds": 60.0,
            "cells": 3,
        },
        **values,
    }


def picture(method, selected=(0, 13), **values):
    """Make a line with ten images of 4 x 6 pixels."""
    originals = [[(image + pixel) % 7 / 7 for pixel in range(24)] for image in range(10)]
    return {
        **dict(zip(CELL, ("mnist_r", method, 4, 20, 0), strict=True)),
        **{"target_task": "rot45", "shape": [4, 6], "labels": list(range(10)), "originals": originals},
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
    """Read a Markdown table back: a dict a row, by column."""
    header, _, *rows = ([cell.strip() for cell in row.strip("| ").split(" | ")] for row in table.splitlines())
    return [dict(zip(header, row, strict=True)) for row in rows]
