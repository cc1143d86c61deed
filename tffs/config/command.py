"""What a person asked for: a mode, where things are, and the run itself."""

import dataclasses

from tffs.config.modes import AFTER_TRAINING, ASKING, DISTRIBUTED, MODES, WITH_ROWS
from tffs.config.place import DataPlace
from tffs.config.question import QuestionConfig
from tffs.config.run import RunConfig
from tffs.methods.catalogue import COMPARABLE, METHODS
from tffs.options import Allowed, Section, number, one_of, option, part, some_of, text, whole, wholes
from tffs.search_spaces import published_spaces
from tffs.serving.contract import GRPC_PORT, MODEL_NAME, REST_PORT


@dataclasses.dataclass(frozen=True)
class ServeConfig(Section, group="Exporting and serving"):
    """How a model is served."""

    base_path: str = option(
        "",
        "the export folder, which holds the versions; that of --workdir if not given",
        name="model_base_path",
        path=True,
    )
    model_name: str = option(
        MODEL_NAME,
        "what the server calls the model",
        text("a name of letters, digits, _, . and -", r"[A-Za-z0-9_.-]+"),
        modes=("serve", *ASKING),
    )
    port: int = option(GRPC_PORT, "the port for gRPC; 0 for any that is free", whole(0, 65535))
    rest_api_port: int = option(REST_PORT, "the port for REST; 0 for any that is free", whole(0, 65535))
    bind_address: str = option(
        "127.0.0.1",
        "the address to listen on; only this machine reaches the default, 0.0.0.0 opens it to all",
        text("an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all", r"\s*\S.*"),
    )
    batching: bool = option(True, "compute for waiting requests together", name="enable_batching")
    poll_seconds: float = option(
        1.0,
        "seconds between looks for new versions",
        number(0.01, 86400.0),
        name="file_system_poll_wait_seconds",
    )
    page: str = option(
        "on",
        "whether the REST port has a page at / where a person drops a CSV file: 'on' or 'off'",
        one_of("on", "off"),
    )


@dataclasses.dataclass(frozen=True)
class TuneConfig(Section, group="Tuning"):
    """A search for better hyperparameters."""

    tuner: str = option(
        "bayesian",
        "keras-tuner's oracle, 'random', 'bayesian' or 'hyperband', whose early trials are short",
        one_of("random", "bayesian", "hyperband"),
    )
    trials: int = option(
        30,
        "how many trials of --steps steps; hyperband spends no more steps on more, shorter ones",
        whole(1, 1000),
    )
    folds: int = option(
        1,
        "how many source tasks validate in turn; a trial is trained once for each, and its loss is the mean",
        whole(1, 1000),
        name="tune_folds",
    )
    search_space: str = option(
        "default",
        "a TOML file that says what each tuned flag may be, or the name of a published one: "
        + ", ".join(published_spaces()),
        path=True,
    )


@dataclasses.dataclass(frozen=True)
class ExperimentConfig(Section, group="Comparing methods"):
    """A grid of methods and sizes, and where its results are.

    Attributes:
        runs: the run and the place of the rows for each dataset, by its name.
    """

    name: str = option(
        "main",
        "the grid's name: results go to <name>.jsonl, and side by side to <name>.md",
        text("a name of letters, digits, _ and -", r"[\w-]+"),
        name="experiment",
    )
    datasets: tuple[str, ...] = option(
        (),
        "the datasets to compare on, each by its flag file: mnist_r, mine.flags; --dataset or --table for one",
    )
    methods: tuple[str, ...] = option(
        ("ours",), f"the methods to compare: {', '.join(METHODS)}", some_of(*METHODS)
    )
    support_sizes: tuple[int, ...] = option((2, 4, 6), "values of N_S", wholes(1))
    numbers_selected: tuple[int, ...] = option((10, 20, 30, 40, 50), "values of K", wholes(1))
    splits: int = option(20, "how many random splits", whole(1, 1000))
    cells: str = option("", "run only a part of the grid, like dataset=mnist_r,method=ours|cae_s")
    results_dir: str = option("results", "the folder of the grids' results", path=True)
    runs: dict[str, tuple[RunConfig, DataPlace]] = dataclasses.field(default_factory=dict)

    @property
    def axes(self) -> dict[str, tuple]:
        """The values along each axis of the grid, without repetitions."""
        return {
            "dataset": tuple(self.runs),
            "method": tuple(dict.fromkeys(self.methods)),
            "support_size": tuple(dict.fromkeys(self.support_sizes)),
            "num_selected": tuple(dict.fromkeys(self.numbers_selected)),
            "split": tuple(range(self.splits)),
        }


@dataclasses.dataclass(frozen=True)
class Command(Section):
    """What the person asked for.

    Attributes:
        run: the run as given by the flags; its parts that depend on the data are not settled yet.
        given: the names of the flags that were given, in a flag file or on the command line.
    """

    run: RunConfig = part((*WITH_ROWS, "inspect"))  # which says whether the run would start
    place: DataPlace = part(WITH_ROWS)
    tune: TuneConfig = part(("tune",))
    question: QuestionConfig = part(ASKING)
    serve: ServeConfig = part(("serve",))
    experiment: ExperimentConfig = part(("experiment",))
    mode: str = option("run", f"what to do: {', '.join(MODES)}", one_of(*MODES), modes=tuple(MODES))
    workdir: str = option(
        "",
        "where the run writes; runs/<name of the data> if not given, for tune runs/<name of the data>_tuning",
        group="Training",
        modes=("run", "train", *AFTER_TRAINING, "report", *ASKING, "serve", "tune"),
        path=True,
    )
    report_rows: bool = option(
        False,
        "put the support rows and pictures of rows into the report; without it, it has only figures of them",
        group="Training",
        modes=("run", "evaluate", "report", "select"),
    )
    threads: int = option(
        0,
        "TensorFlow's threads; 0 chooses by problem size",
        whole(0, 1024),
        group="Training",
        modes=tuple(mode for mode in MODES if mode not in ("inspect", "experiment")),
    )
    distribute: str = option(
        "none",
        "'none', or 'multi_worker' to share the episodes of every step among the workers that the environment "
        "variable TF_CONFIG names; each is started with the same command",
        one_of("none", "multi_worker"),
        group="Training",
        modes=DISTRIBUTED,
    )
    workers: int = option(
        0,
        "processes with one thread each; 0 for one per core",
        whole(0, 1024),
        group="Comparing methods",
        modes=("experiment", "tune"),
    )
    compare: tuple[str, ...] = option(
        (),
        "the methods to fit and measure beside the run's own, on the same rows, like concrete,variance; the "
        "method's yardsticks if not given",
        Allowed(f"some of {', '.join(COMPARABLE)}", lambda names: set(names) <= set(COMPARABLE)),
        group="Comparing methods",
        modes=("run", "evaluate"),
    )
    keep_versions: int = option(
        0,
        "how many versions to keep, with the new one; 0 for all",
        whole(0),
        group="Exporting and serving",
        modes=("run", "export"),
    )
    given: frozenset[str] = frozenset()
