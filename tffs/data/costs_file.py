"""Read what features cost from a file."""

import contextlib
import math

from data_builders.table.column_block import WHOLE_FILE
from data_builders.table.columns import named
from data_builders.table.csv_file import CsvFile
from data_builders.table.opening import check_file
from tffs.errors import UserError, reason


def read_costs(path: str) -> dict[str, float]:
    """Read costs by the names of features.

    Args:
        path: a CSV (also .gz) of two columns, feature and cost; its first line may name them.
    """
    try:
        check_file(path)
        return _checked(path, _lines(path))
    except FileNotFoundError as error:
        raise UserError(f"--costs={path} is not there: give the path of a CSV of feature and cost.") from error
    except OSError as error:
        raise UserError(f"--costs={path} cannot be read ({reason(error)}).") from error


def _lines(path: str) -> list[tuple[str, float]]:
    """Read the features and their costs; NaN where there is no cost."""
    file = CsvFile(path)
    if len(file.header) != 2:
        raise UserError(
            f"--costs={path} must have two columns, feature and cost, but its first line has "
            f"{len(file.header)}."
        )
    lines = []
    with contextlib.suppress(ValueError):  # if the first line names the columns
        lines.append((file.header[0], float(file.header[1].replace(",", "."))))
    for block in file.blocks([1], 0, None, WHOLE_FILE):
        if block.text:
            raise UserError(f"--costs={path} must hold numbers as costs, but '{block.text[0].value}' is none.")
        assert block.task is not None
        lines += zip((name or "" for name in block.task.to_pylist()), block.x[0].tolist(), strict=True)
    if file.problems:
        raise UserError(f"--costs={path}: {file.problems[0]}")
    return lines


def _checked(path: str, lines: list[tuple[str, float]]) -> dict[str, float]:
    costs: dict[str, float] = {}
    for name, cost in zip(named([name for name, _ in lines]), (cost for _, cost in lines), strict=True):
        if name in costs:
            raise UserError(f"--costs={path} names '{name}' more than once: keep one of its costs.")
        if math.isnan(cost):
            raise UserError(f"--costs={path} has no cost for '{name}': write one, or 0 if it is free.")
        if cost < 0.0 or math.isinf(cost):
            raise UserError(
                f"--costs={path} must hold costs that are finite and not negative, but '{name}' costs {cost:g}."
            )
        costs[name] = cost
    if not costs:
        raise UserError(f"--costs={path} has no lines: write the feature and its cost in each.")
    return costs
