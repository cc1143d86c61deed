"""How much memory this process may still take: the least of what the machine and its limits leave."""

import pathlib
import resource

PROC, CGROUPS = pathlib.Path("/proc"), pathlib.Path("/sys/fs/cgroup")
# What a group may take, what it takes, and what of that is files that can be dropped: version 2, then 1.
_GROUP_FILES = (
    ("memory.max", "memory.current", ("active_file", "inactive_file")),
    ("memory.limit_in_bytes", "memory.usage_in_bytes", ("total_active_file", "total_inactive_file")),
)


def available_memory(proc: pathlib.Path = PROC, cgroups: pathlib.Path = CGROUPS) -> int | None:
    """Find how many bytes this process may still take.

    Args:
        proc: where the kernel tells about processes.
        cgroups: where it tells about control groups.

    Returns:
        The least of the machine's free memory, what the process's control groups leave and what its own limits
        leave; None where nothing can be read, as outside Linux.
    """
    free = _fields(proc / "meminfo").get("MemAvailable")
    found = [*([] if free is None else [1024 * free]), *_left_by_groups(proc, cgroups), *_left_by_limits(proc)]
    return max(min(found), 0) if found else None


def _left_by_limits(proc: pathlib.Path) -> list[int]:
    taken = _fields(proc / "self" / "status")
    left = []
    for limit, field in ((resource.RLIMIT_AS, "VmSize"), (resource.RLIMIT_DATA, "VmData")):
        most = resource.getrlimit(limit)[0]
        if most != resource.RLIM_INFINITY:
            left.append(most - 1024 * taken.get(field, 0))
    return left


def _left_by_groups(proc: pathlib.Path, cgroups: pathlib.Path) -> list[int]:
    """Look at the groups of the process and at all groups that they are in: the tightest counts."""
    left = []
    for line in _text(proc / "self" / "cgroup").splitlines():
        _, kinds, path = line.split(":", 2)
        if kinds not in ("", "memory"):
            continue
        root = cgroups / kinds
        # In a container the path may be one of the machine outside, of which only the root is there.
        group = root / path.lstrip("/")
        for folder in (group, *group.parents):
            left += _left_by_group(folder)
            if folder == root:
                break
    return left


def _left_by_group(folder: pathlib.Path) -> list[int]:
    for limit, taken, droppable in _GROUP_FILES:
        most, now = _text(folder / limit).strip(), _text(folder / taken).strip()
        if most.isdecimal() and now.isdecimal():
            held = _fields(folder / "memory.stat")
            return [int(most) - int(now) + sum(held.get(name, 0) for name in droppable)]
    return []


def _fields(path: pathlib.Path) -> dict[str, int]:
    """Read lines like `MemAvailable:  1024 kB` and `active_file 4096`."""
    words = (line.replace(":", " ").split() for line in _text(path).splitlines())
    return {line[0]: int(line[1]) for line in words if len(line) > 1 and line[1].isdecimal()}


def _text(path: pathlib.Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
