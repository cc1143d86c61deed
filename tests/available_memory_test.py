import resource
import subprocess
import sys

import pytest

from tests.limited import limited
from tffs.available_memory import available_memory

GB = 2**30


@pytest.fixture
def machine(tmp_path):
    """Write what the kernel tells about a machine with 16 GB free, and give where."""
    proc, cgroups = tmp_path / "proc", tmp_path / "cgroup"

    def write(groups, **files):
        (proc / "self").mkdir(parents=True)
        (proc / "meminfo").write_text(f"MemTotal: 99 kB\nMemAvailable:   {16 * GB // 1024} kB\n")
        (proc / "self" / "status").write_text("Name:\tpython\nVmSize:\t1024 kB\n")
        (proc / "self" / "cgroup").write_text(groups)
        for name, text in files.items():
            path = cgroups.joinpath(*name.split("__"))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.with_name(path.name.replace("_", ".", 1)).write_text(f"{text}\n")
        return proc, cgroups

    return write


def test_without_a_limit_all_that_the_machine_has_is_free(machine):
    assert available_memory(*machine("0::/user\n", user__memory_max="max", user__memory_current=GB)) == 16 * GB


def test_the_tightest_group_counts_and_its_file_pages_can_be_dropped(machine):
    place = machine(
        "0::/outer/inner\n",
        outer__inner__memory_max=8 * GB,
        outer__inner__memory_current=GB,
        outer__memory_max=4 * GB,
        outer__memory_current=3 * GB,
        outer__memory_stat=f"anon {GB}\nactive_file {GB // 2}\ninactive_file {GB // 4}",
    )
    assert available_memory(*place) == GB + GB // 2 + GB // 4


def test_a_container_of_the_first_version_is_read_at_its_root(machine):
    place = machine(
        "9:cpu:/docker/abc\n7:memory:/docker/abc\n",
        memory__memory_limit_in_bytes=2 * GB,
        memory__memory_usage_in_bytes=GB,
        memory__memory_stat=f"cache 5\ntotal_inactive_file {GB // 2}",
    )
    assert available_memory(*place) == GB + GB // 2


def test_where_nothing_can_be_read_nothing_is_known(tmp_path):
    assert available_memory(tmp_path, tmp_path) is None


@pytest.mark.parametrize("limit", [resource.RLIMIT_AS, resource.RLIMIT_DATA])
def test_limits_of_the_process_itself_count(limit):
    code = "from tffs.available_memory import available_memory; print(available_memory())"
    done = subprocess.run(
        limited(limit, GB, sys.executable, "-c", code),
        capture_output=True,
        text=True,
        check=True,
    )
    assert 0 < int(done.stdout) < GB
