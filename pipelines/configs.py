"""The configuration of a pipeline, as one frozen tree, and its flags beside those of a run."""

import dataclasses
import os
import re
import textwrap
from collections.abc import Sequence

from absl import flags

from tffs.config import DataPlace, RunConfig, TuneConfig
from tffs.config.run import default_scaling
from tffs.errors import UserError
from tffs.flags import parse
from tffs.flags.flagfiles import with_flagfiles
from tffs.tuning.search_space import read_space
from tffs.tuning.space import Space

ROOT = "runs/pipeline"
NOT_HERE = frozenset({"keep_versions", "workers", "format", "model", "support", "server"})  # of other modes
# Beam's own choice on one machine. Its switch, DirectRunner, would first download a program and run it; and
# without an image TFX would package itself for workers elsewhere, anew for every component.
LOCAL_BEAM = (
    "--runner=apache_beam.runners.portability.fn_api_runner.FnApiRunner",
    "--sdk_container_image=none",
)


@dataclasses.dataclass(frozen=True)
class Bars:
    """What a model must reach to be blessed.

    Attributes:
        max_relative_error: the most that its error on any held-out task may be, as a share of the error of
            always answering the source tasks' mean.
        min_distinct: the fewest distinct features it may choose, on average over all tasks.
        max_regression: by which share its mean error may exceed that of the model last blessed.
    """

    max_relative_error: float = 1.0
    min_distinct: float = 1.0
    max_regression: float = 0.0


@dataclasses.dataclass(frozen=True)
class Modules:
    """Module files of a user in the place of those in `pipelines/modules`; None for ours."""

    preprocessing: str | None = None
    tuner: str | None = None
    trainer: str | None = None


@dataclasses.dataclass(frozen=True)
class PipelineConfig:
    """All that decides a pipeline.

    Attributes:
        name: of the pipeline; models are compared with those of the same name.
        root: the folder of everything that it writes.
        input: the folder with `span-<number>/<split>/` of records.
        writes_input: whether the records come from the run's dataset, or were brought.
        serving: the folder of pushed versions.
        schema: a schema.pbtxt of the user, or None to infer one.
        run: what is trained; it holds no task out, because held-out tasks are a split of their own.
        place: where the rows come from.
        held_out: the tasks to evaluate on, or empty to draw one.
        bars: what a model must reach.
        draws: support sets drawn of each held-out task.
        tune: the search before the training, or None.
        space: what it may change.
        beam_pipeline_args: for every component that runs on Beam.
        modules: of the user.
        distribute: `none`, or `multi_worker` for a Trainer of several workers.
        threads: of TensorFlow; 0 for what suits the run.
    """

    name: str
    root: str
    input: str
    writes_input: bool
    serving: str
    schema: str | None
    run: RunConfig
    place: DataPlace
    held_out: tuple[str, ...]
    bars: Bars
    draws: int
    tune: TuneConfig | None
    beam_pipeline_args: tuple[str, ...]
    modules: Modules
    distribute: str = "none"
    threads: int = 0
    space: Space = ()

    @property
    def artifacts(self) -> str:
        """Where TFX puts what components write."""
        return os.path.join(self.root, "artifacts")

    @property
    def metadata(self) -> str:
        """The database of ML Metadata."""
        return os.path.join(self.root, "metadata.db")


def from_arguments(argv: Sequence[str]) -> PipelineConfig:
    """Build the configuration of the flags of a pipeline and of those of a run.

    Args:
        argv: the program's name and its arguments; flag files may hold both kinds.

    Returns:
        The configuration; anything a person can get wrong raises `UserError`.
    """
    values = define()
    try:
        rest = values(with_flagfiles(argv), known_only=True)
    except flags.Error as error:
        raise UserError(f"{' '.join(str(error).split())}; see --help.") from error
    mode = ["--mode=tune"] if values.tune else []
    # Records that are brought stand for the table that a run must have.
    brought = [f"--table={values.input}"] if values.input and not _names_data(rest) else []
    command = parse([rest[0], *mode, *brought, *rest[1:]])
    if command.mode != ("tune" if values.tune else "run"):
        raise UserError(f"A pipeline has no --mode, but --mode={command.mode} came: leave it out.")
    _check(values)
    useless = sorted(command.given & NOT_HERE)
    if useless:
        raise UserError(f"A pipeline has no --{useless[0]}: leave it out.")
    if command.run.training.loss != "reconstruction":
        raise UserError(
            f"A pipeline trains models that reconstruct, but --loss={command.run.training.loss} came: use "
            "python -m tffs.main for those that predict labels."
        )
    root = _path(values.pipeline_root)
    held_out = tuple(values.held_out_tasks) or _target(command.run)
    return PipelineConfig(
        name=values.pipeline_name,
        root=root,
        input=_path(values.input) if values.input else os.path.join(root, "input"),
        writes_input=not values.input,
        serving=_path(values.serving_dir) if values.serving_dir else os.path.join(root, "serving"),
        schema=_path(values.schema) if values.schema else None,
        run=_without_target(command.run),
        place=command.place,
        held_out=held_out,
        bars=Bars(values.max_relative_error, values.min_distinct, values.max_regression),
        draws=values.draws,
        tune=command.tune if values.tune else None,
        beam_pipeline_args=_beam(values.beam_pipeline_args),
        modules=Modules(
            *(
                _path(values[f"{kind}_module"].value) if values[f"{kind}_module"].value else None
                for kind in ("preprocessing", "tuner", "trainer")
            )
        ),
        distribute=values.distribute,
        threads=command.threads,
        space=read_space(command.tune.search_space, command.run) if values.tune else (),
    )


def define() -> flags.FlagValues:
    """Define the flags of a pipeline."""
    v = flags.FlagValues()
    flags.DEFINE_string(
        "pipeline_name",
        "tffs",
        "models are compared with those that this name has blessed; another pipeline wants another root",
        flag_values=v,
    )
    flags.DEFINE_string("pipeline_root", ROOT, "the folder of all that the pipeline writes", flag_values=v)
    flags.DEFINE_string(
        "input",
        None,
        "a folder with span-<number>/source and span-<number>/held_out of TFRecords, in the place of those "
        "that are written from --dataset or --table into <pipeline_root>/input",
        flag_values=v,
    )
    flags.DEFINE_string(
        "serving_dir",
        None,
        "where blessed models are pushed; <pipeline_root>/serving if not given",
        flag_values=v,
    )
    flags.DEFINE_string(
        "schema",
        None,
        "your schema.pbtxt, in the place of one that is inferred from the source split",
        flag_values=v,
    )
    flags.DEFINE_list(
        "held_out_tasks",
        [],
        "the tasks to evaluate on; --target_task, or one drawn, if not given",
        flag_values=v,
    )
    flags.DEFINE_bool("tune", False, "search with --tuner and --trials before training", flag_values=v)
    flags.DEFINE_float(
        "max_relative_error",
        Bars.max_relative_error,
        "not blessed above this share of the mean's error on any held-out task",
        flag_values=v,
    )
    flags.DEFINE_float(
        "min_distinct", Bars.min_distinct, "not blessed below this number of distinct features", flag_values=v
    )
    flags.DEFINE_float(
        "max_regression",
        Bars.max_regression,
        "not blessed if the mean error exceeds that of the model last blessed by more than this share",
        flag_values=v,
    )
    flags.DEFINE_integer("draws", 5, "support sets to draw of each held-out task", flag_values=v)
    flags.DEFINE_multi_string(
        "beam_pipeline_args", [], "an option of Beam, like --runner=FlinkRunner", flag_values=v
    )
    flags.DEFINE_enum(
        "distribute",
        "none",
        ["none", "multi_worker"],
        "'multi_worker': the Trainer is the first of the workers in TF_CONFIG; the others are python -m "
        "pipelines.trainer_worker",
        flag_values=v,
    )
    for kind, function in (
        ("preprocessing", "preprocessing_fn"),
        ("tuner", "tuner_fn"),
        ("trainer", "run_fn"),
    ):
        flags.DEFINE_string(
            f"{kind}_module",
            None,
            f"a module file with your own {function}, in the place of ours",
            flag_values=v,
        )
    return v


def help_text(program: str) -> str:
    """Write the page that `--help` shows."""
    values = define()
    lines = [
        f"python -m {program}: the TFX pipeline around tffs.",
        "Flags of a run (--dataset, --table, --steps; see python -m tffs.main --help) go with these, also in",
        "flag files:",
        "",
    ]
    for name in values:
        default = values[name].value
        shown = f" (default {default})" if default not in (None, [], False) else ""
        lines += textwrap.wrap(
            f"--{name}: {' '.join(values[name].help.split())}{shown}",
            108,
            initial_indent="  ",
            subsequent_indent="      ",
        )
    return "\n".join(lines)


def _names_data(arguments: Sequence[str]) -> bool:
    """Tell whether --dataset or --table is among the flags of a run."""
    values = flags.FlagValues()
    for name in ("dataset", "table"):
        flags.DEFINE_string(name, None, "", flag_values=values)
    values(list(arguments), known_only=True)
    return bool(values.dataset or values.table)


def _check(values: flags.FlagValues) -> None:
    if not re.fullmatch(r"[A-Za-z0-9_-]+", values.pipeline_name):
        raise UserError(
            f"--pipeline_name must be a name of letters, digits, _ and -, but '{values.pipeline_name}' came."
        )
    for name in ("max_relative_error", "min_distinct", "max_regression"):
        if not 0.0 <= values[name].value < float("inf"):
            raise UserError(f"--{name} must be a number from 0, but {values[name].value} came.")
    for name in ("pipeline_root", "input"):
        wild = next((mark for mark in "[]*?{}" if mark in (values[name].value or "")), None)
        if wild is not None:
            raise UserError(f"--{name} must not have '{wild}' in it, which Beam takes for a pattern.")
    if values.draws < 1:
        raise UserError(f"--draws must be a whole number from 1, but {values.draws} came.")
    for name in ("schema", "preprocessing_module", "tuner_module", "trainer_module"):
        path = values[name].value
        if path and _local(path) and not os.path.isfile(_path(path)):
            raise UserError(f"--{name}={path} is not there: give the path of a file.")
    if "none" in values.held_out_tasks:
        raise UserError("--held_out_tasks must name tasks to evaluate on, but 'none' came.")


def _target(run: RunConfig) -> tuple[str, ...]:
    target = run.data.target_task
    if target == "none":
        raise UserError(
            "A pipeline evaluates on tasks that it holds out, but --target_task=none came: name one or several "
            "with --held_out_tasks, or leave it out to draw one."
        )
    return (target,) if target else ()


def _without_target(run: RunConfig) -> RunConfig:
    """Give the run for the source split, in which every task is a source task."""
    scaling = run.data.scaling or default_scaling(table=run.data.dataset is None)
    data = dataclasses.replace(run.data, target_task="none", scaling=scaling)
    return dataclasses.replace(run, data=data)


def _beam(given: list[str]) -> tuple[str, ...]:
    wrong = next((option for option in given if not option.startswith("--")), None)
    if wrong is not None:
        raise UserError(f"--beam_pipeline_args must be options of Beam, like --runner=..., but '{wrong}' came.")
    given = [option for option in given if option.lower() != "--runner=directrunner"]
    chosen = any(option.startswith("--runner=") for option in given)
    return tuple(given) if chosen else (*LOCAL_BEAM, *given)


def _local(path: str) -> bool:
    return "://" not in path


def _path(path: str) -> str:
    return os.path.abspath(os.path.expanduser(path)) if _local(path) else path
