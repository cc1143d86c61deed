"""The configuration of a pipeline, as one frozen tree; every flag of a pipeline is a field of it."""

import dataclasses
import os
from collections.abc import Sequence

from pipelines.flags import help_lines, is_local, made, take
from tffs.config import Command, DataPlace, RunConfig, TuneConfig
from tffs.config.run import FOLDS, NO_TARGET, default_scaling
from tffs.errors import UserError
from tffs.flags import parse
from tffs.flags.command import names_given, parsed
from tffs.flags.flagfiles import with_flagfiles, without_flagfiles
from tffs.methods.catalogue import CONCRETE, POSTERIOR
from tffs.options import Allowed, Section, number, one_of, option, options, text, whole
from tffs.options import sections as sections_of
from tffs.tuning.search_space import read_space
from tffs.tuning.space import Space

ROOT = "runs/pipeline"
# Beam's own choice on one machine. Its switch, DirectRunner, would first download a program and run it; and
# without an image TFX would package itself for workers elsewhere, anew for every component.
LOCAL_BEAM = (
    "--runner=apache_beam.runners.portability.fn_api_runner.FnApiRunner",
    "--sdk_container_image=none",
)
FILE = Allowed("the path of a file", lambda path: not is_local(path) or os.path.isfile(path))
FOLDER = text("a path without any of []*?{}, which Beam takes for a pattern", r"[^\[\]*?{}]*")


@dataclasses.dataclass(frozen=True)
class Bars(Section):
    """What a model must reach to be blessed."""

    max_relative_error: float = option(
        1.0,
        "not blessed if the median error over tasks that it did not learn from is above this share of the "
        "mean's",
        number(0.0),
    )
    min_distinct: float = option(1.0, "not blessed below this mean number of distinct features", number(0.0))
    max_regression: float = option(
        0.0,
        "not blessed if the median error exceeds that of the model last blessed by more than this share",
        number(0.0),
    )
    min_coverage: float = option(
        0.7,
        "not blessed if its 90 % intervals cover less than this share of the values, over tasks that it did "
        "not learn from",
        number(0.0, 1.0),
    )
    max_coverage_loss: float = option(
        0.05,
        "not blessed if its 90 % intervals miss their 90 % by so much more than those of the model last "
        "blessed",
        number(0.0, 1.0),
    )


@dataclasses.dataclass(frozen=True)
class Modules(Section):
    """Module files of a user in the place of those in `pipelines/modules`; None for ours."""

    preprocessing: str | None = option(
        None,
        "a module file with your own preprocessing_fn, in the place of ours",
        FILE,
        name="preprocessing_module",
        path=True,
    )
    tuner: str | None = option(
        None,
        "a module file with your own tuner_fn, in the place of ours",
        FILE,
        name="tuner_module",
        path=True,
    )
    trainer: str | None = option(
        None,
        "a module file with your own run_fn, in the place of ours",
        FILE,
        name="trainer_module",
        path=True,
    )


@dataclasses.dataclass(frozen=True)
class PipelineConfig(Section):
    """All that decides a pipeline.

    Attributes:
        run: what is trained; it holds no task out, because held-out tasks are a split of their own.
        place: where the rows come from.
        tune: the search, if there is one.
        space: what it may change.
        threads: of TensorFlow; 0 for what suits the run.
        writes_input: whether the records are written from the run's dataset, or were brought.
    """

    run: RunConfig
    place: DataPlace
    bars: Bars
    modules: Modules
    tune: TuneConfig
    space: Space
    threads: int
    writes_input: bool
    name: str = option(
        "tffs",
        "models are compared with those that this name has blessed; another pipeline wants another root",
        text("a name of letters, digits, _ and -", r"[A-Za-z0-9_-]+"),
        name="pipeline_name",
    )
    root: str = option(
        ROOT, "the folder of all that the pipeline writes", FOLDER, name="pipeline_root", path=True
    )
    input: str = option(
        "",
        "a folder with span-<number>/source and span-<number>/held_out of TFRecords, in the place of those "
        "that are written from --dataset or --table into <pipeline_root>/input",
        FOLDER,
        path=True,
    )
    serving: str = option(
        "",
        "where blessed models are pushed; <pipeline_root>/serving if not given",
        name="serving_dir",
        path=True,
    )
    schema: str | None = option(
        None, "your schema.pbtxt, in the place of one that is inferred from the source split", FILE, path=True
    )
    held_out: tuple[str, ...] = option(
        (),
        "the tasks to evaluate on; --target_task, or one drawn, if not given",
        Allowed("names of tasks to evaluate on", lambda names: not {NO_TARGET, FOLDS} & set(names)),
        name="held_out_tasks",
    )
    tunes: bool = option(False, "search with --tuner and --trials before training", name="tune")
    draws: int = option(5, "support sets to draw of each held-out task", whole(1))
    beam_options: tuple[str, ...] = option(
        (),
        "an option of Beam, like --runner=FlinkRunner; repeat the flag for each",
        text("options of Beam, like --runner=FlinkRunner", r"--.+"),
        name="beam_pipeline_args",
    )
    distribute: str = option(
        "none",
        "'multi_worker': the Trainer is the first of the workers in TF_CONFIG; the others are python -m "
        "pipelines.trainer_worker",
        one_of("none", "multi_worker"),
    )

    @property
    def artifacts(self) -> str:
        """Where TFX puts what components write."""
        return os.path.join(self.root, "artifacts")

    @property
    def metadata(self) -> str:
        """The database of ML Metadata."""
        return os.path.join(self.root, "metadata.db")

    @property
    def beam_pipeline_args(self) -> tuple[str, ...]:
        """Options for every component that runs on Beam: in this process, unless a runner is chosen."""
        given = tuple(one for one in self.beam_options if one.lower() != "--runner=directrunner")
        chosen = any(one.startswith("--runner=") for one in given)
        return given if chosen else (*LOCAL_BEAM, *given)


SECTIONS = (PipelineConfig, Bars, Modules)
_ONLY_CONCRETE = ("tune", "distribute")  # what only the paper's network can do


def from_arguments(argv: Sequence[str], *others: type) -> PipelineConfig:
    """Build the configuration of the flags of a pipeline and of those of a run.

    Args:
        argv: the program's name and its arguments; flag files may hold both kinds.
        others: sections of the program's own flags, which are passed over.

    Returns:
        The configuration; anything a person can get wrong raises `UserError`.
    """
    values, rest = take(with_flagfiles(argv), *SECTIONS, *others)
    _, typed = take(without_flagfiles(argv), *SECTIONS, *others)
    alone = [f"--{name}" for name in _ONLY_CONCRETE if values[name] not in (False, "none")]
    command = _command(rest, typed, alone, values["tune"], values["input"])
    writes_input = not values["input"]
    values["input"] = values["input"] or os.path.join(values["pipeline_root"], "input")
    values["serving_dir"] = values["serving_dir"] or os.path.join(values["pipeline_root"], "serving")
    values["held_out_tasks"] = values["held_out_tasks"] or _target(command.run)
    config: PipelineConfig = made(
        PipelineConfig,
        values,
        run=_without_target(command.run),
        place=command.place,
        bars=made(Bars, values),
        modules=made(Modules, values),
        tune=command.tune,
        space=read_space(command.tune.search_space, command.run) if values["tune"] else (),
        threads=command.threads,
        writes_input=writes_input,
    )
    return config


def help_text(program: str, *others: type) -> str:
    """Write the page that `--help` shows; a program may have flags of its own."""
    return "\n".join(
        [
            f"python -m {program}: the TFX pipeline around tffs.",
            "Flags of a run (--dataset, --table, --steps; see python -m tffs.main --help) go with these, also",
            "in flag files:",
            "",
            *help_lines(*SECTIONS, *others),
        ]
    )


def _command(
    rest: Sequence[str], typed: Sequence[str], only_concrete: Sequence[str], tunes: bool, brought: str
) -> Command:
    """Parse the flags of a run.

    Args:
        rest: the program's name and these flags; those for other programs, which flag files may hold, are
            passed over.
        typed: those of them that were given on the command line.
        only_concrete: flags of the pipeline that were given and that only the paper's network can do.
        tunes: whether there is a search.
        brought: the folder of records that were brought, or empty.
    """
    used = {"threads", *_options_in(RunConfig), *_options_in(DataPlace)}
    used |= set(options(TuneConfig)) if tunes else set()
    values, mode = parsed(rest), "tune" if tunes else "run"
    if values.mode not in ("run", mode):
        raise UserError(f"A pipeline has no --mode, but received --mode={values.mode}: leave it out.")
    useless = sorted(names_given(parsed(typed)) - used - {"mode"})
    if useless:
        needs = "without --tune" if useless[0] in options(TuneConfig) else "in a pipeline"
        raise UserError(f"--{useless[0]} is not used {needs}: leave it out.")
    arguments = [values[name].serialize() for name in sorted(names_given(values) & used)]
    if only_concrete and (values.method or CONCRETE) != CONCRETE:
        raise UserError(
            f"{only_concrete[0]} trains the paper's network, but received --method={values.method}: leave one "
            f"of the two out, or give --method={CONCRETE}."
        )
    if only_concrete:
        arguments.append(f"--method={CONCRETE}")
    if brought and not (values.dataset or values.table):
        arguments.append(f"--table={brought}")  # records that are brought stand for the table of a run
    command = parse([rest[0], f"--mode={mode}", *arguments], typed)
    loss = command.run.training.loss
    if loss != "reconstruction":
        raise UserError(
            f"A pipeline trains models that reconstruct, but received --loss={loss}: use python -m tffs.main "
            "for those that predict labels."
        )
    validation_task = command.run.data.validation_task
    if command.run.method == POSTERIOR and validation_task is not None:
        raise UserError(
            f"--validation_task={validation_task} was given, but --method={POSTERIOR} learns from all source "
            f"tasks and needs none to validate on: leave it out, or give --method={CONCRETE}."
        )
    return command


def _options_in(tree: type) -> set[str]:
    return {name for section, _ in sections_of(tree) for name in options(section)}


def _target(run: RunConfig) -> tuple[str, ...]:
    target = run.data.target_task
    if target == NO_TARGET:
        raise UserError(
            "A pipeline evaluates on tasks that it holds out, but received --target_task=none: name one or "
            "several with --held_out_tasks, or leave it out to draw one."
        )
    return (target,) if target and target != FOLDS else ()


def _without_target(run: RunConfig) -> RunConfig:
    """Give the run for the source split, in which every task is a source task."""
    scaling = run.data.scaling or default_scaling(table=run.data.dataset is None)
    data = dataclasses.replace(run.data, target_task=NO_TARGET, scaling=scaling)
    return dataclasses.replace(run, data=data)
