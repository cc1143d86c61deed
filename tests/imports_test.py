"""Imports go one way: a module imports its own package and what stands below it, and nothing else."""

import ast
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[1]
# From low to high. A longer name counts before a shorter one that it begins with.
LAYERS = (
    (
        *("tffs", "tffs.available_memory", "tffs.canvas", "tffs.errors", "tffs.file_lock", "tffs.finite"),
        *(
            "tffs.live_line",
            "tffs.time_left",
            "tffs.markdown",
            "tffs.options",
            "tffs.printable",
            "tffs.provenance",
            "tffs.signals",
        ),
        *("tffs.startup", "tffs.web", "tffs.whole_file"),
        *("tffs.estimator.feature_count", "tffs.estimator.sklearn_compat"),
    ),
    ("data_builders",),
    ("tffs.methods.catalogue", "tffs.search_spaces", "tffs.serving.contract"),
    ("tffs.config",),
    ("tffs.data", "tffs.differences"),
    ("tffs.selection",),
    ("tffs.layers",),
    ("tffs.models",),
    ("tffs.training",),
    ("tffs.posterior",),
    ("tffs.processes",),
    ("tffs.planning",),
    ("tffs.distribute", "tffs.baselines", "tffs.workdir"),
    ("tffs.methods",),
    ("tffs.evaluation",),
    ("tffs.serving",),
    ("tffs.report",),
    ("tffs.experiments", "tffs.running", "tffs.tuning"),
    ("tffs.flags",),
    ("tffs.estimator",),
    ("tffs.modes",),
    ("tffs.main",),
)
# What is imported when it is first used, so that a help page does not wait for TensorFlow: public names, and
# the code that fits a method of the catalogue.
ON_DEMAND = {
    ("tffs.methods.catalogue", "tffs.methods"),
    *(("tffs", name) for names in LAYERS for name in names),
}
PLACES = {name: place for place, names in enumerate(LAYERS) for name in names}


def modules(package):
    for path in sorted((ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), ast.parse(path.read_text("utf-8"))


def imported(tree):
    """Give all modules that are imported, also within functions, but not for type checkers alone."""
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def home(module):
    """Find the longest name in the list of layers that a module is in."""
    parts = module.split(".")
    names = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((name for name in names if name in PLACES), None)


def test_every_module_of_the_library_has_a_layer():
    unplaced = [module for module, _ in modules("tffs") if module != "tffs" and home(module) == "tffs"]
    assert unplaced == []


def test_nothing_imports_back_up():
    wrong = []
    for package in ("data_builders", "tffs"):
        for module, tree in modules(package):
            for name in imported(tree):
                own, other = home(module), home(name)
                if other in (None, own) or (own, other) in ON_DEMAND:
                    continue
                allowed = PLACES[own] if PLACES[own] == 0 else PLACES[own] - 1
                if PLACES[other] > allowed:
                    wrong.append(f"{module} imports {name}")
    assert wrong == []


def test_the_library_knows_nothing_of_what_is_built_on_it():
    others = ("benchmarks", "fuzzing", "pipelines", "reproduction", "tests", "tfx")
    wrong = [
        f"{module} imports {name}"
        for package in ("data_builders", "tffs")
        for module, tree in modules(package)
        for name in imported(tree)
        if name.split(".")[0] in others
    ]
    assert wrong == []


def test_only_the_command_line_knows_its_modes():
    wrong = [
        f"{module} imports {name}"
        for package in ("benchmarks", "pipelines", "reproduction", "tffs")
        for module, tree in modules(package)
        for name in imported(tree)
        if name.startswith("tffs.modes") and not module.startswith(("tffs.modes", "tffs.main"))
    ]
    assert wrong == []


def test_importing_the_library_takes_under_300_ms_and_no_heavy_package():
    program = (
        "import sys, time; began = time.perf_counter(); import tffs; dir(tffs); "
        "seconds = time.perf_counter() - began; "
        "print(seconds, *{'keras', 'numpy', 'pandas', 'scipy', 'sklearn', 'tensorflow'} & set(sys.modules))"
    )
    seconds = []
    for _ in range(3):  # the best of three, on a machine that may be busy
        ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        taken, *heavy = ended.stdout.split()
        assert heavy == []
        seconds.append(float(taken))
    assert min(seconds) < 0.3
