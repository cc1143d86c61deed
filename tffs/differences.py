"""How the run or search that a folder holds differs from the one that is asked for, in words."""

from collections.abc import Collection, Mapping
from typing import Any

# What decides a flag that was not given.
_DECIDED_BY = {
    "method": ("loss",),
    "target_task": ("seed", "method"),
    "validation": ("target_task",),
    "validation_task": ("seed", "target_task", "validation"),
    "query_size": ("support_size", "target_task"),
    "output_activation": ("scaling", "target_task"),
    "jit": ("steps",),
}


def differences(kept: Mapping[str, Any], wanted: Mapping[str, Any], given: Collection[str]) -> str:
    """Name the flags that differ, in the words of the person.

    A flag that was not given has its default, or what the seed or the data decide. Such flags are named only
    where no given one differs, and not as if they had been given; one that follows from another is left out.

    Args:
        kept: the flags of the stored run; one that it lacks is none.
        wanted: the flags of the run that is asked for.
        given: the flags that the person gave.

    Returns:
        What was kept and what it would be now; empty if nothing differs.
    """
    different = [name for name in wanted if wanted[name] != kept.get(name)]
    asked = [name for name in different if name in given]
    if asked:
        return ", ".join(f"--{name}={shown(kept.get(name))} (now {shown(wanted[name])})" for name in asked)
    return ", ".join(
        f"{name}={shown(kept.get(name))} ({shown(wanted[name])} if not given)"
        for name in different
        if not any(cause in different for cause in _DECIDED_BY.get(name, ()))
    )


def shown(value: Any) -> str:
    """Write a flag's value as a person would."""
    if isinstance(value, Mapping):
        return " ".join(f"{key}={shown(part)}" for key, part in value.items() if part is not None)
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return "none" if value is None else str(value)
