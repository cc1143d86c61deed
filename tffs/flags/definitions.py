"""Every flag, with the paper's values as defaults, and the groups that --help shows them in."""

from absl import flags

import data_builders
from tffs.experiments.catalogue import METHODS
from tffs.flags.modes import MODES
from tffs.search_spaces import published_spaces
from tffs.serving import contract

OF_TABLES = ("task_column", "feature_columns", "label_column", "ignore_columns", "beam_options")
GROUPS = {
    "Data": ("dataset", "data_mirror", "data_dir", "cache", "target_task", "validation", "validation_task"),
    "Your own table": (
        *("table", "task_column", "feature_columns", "label_column", "ignore_columns", "scaling", "missing"),
        "beam_options",
    ),
    "Episodes": ("support_size", "query_size", "episodes_per_step"),
    "Model": (
        *("num_selected", "selection", "embedding_units", "selector_dim", "pi_stddev"),
        *("decoder_units", "task_code_dim", "output_activation"),
    ),
    "Training": (
        *("loss", "steps", "learning_rate", "initial_temperature", "final_temperature", "noise", "eval_every"),
        *("seed", "jit", "threads", "distribute", "workdir"),
    ),
    "Tuning": ("tuner", "trials", "folds", "search_space"),
    "Selecting with a trained model": ("model", "server", "support", "format"),
    "Exporting and serving": (
        *("keep_versions", "model_name", "model_base_path", "port", "rest_api_port", "bind_address"),
        *("enable_batching", "file_system_poll_wait_seconds"),
    ),
    "Comparing methods": (
        *("experiment", "datasets", "methods", "support_sizes", "numbers_selected", "splits", "cells"),
        *("workers", "results_dir", "results_page"),
    ),
}


def define() -> flags.FlagValues:
    """Define every flag, with the paper's values as defaults."""
    v = flags.FlagValues()
    flags.DEFINE_string("mode", "run", f"what to do: {', '.join(MODES)}", flag_values=v)
    flags.DEFINE_string(
        "dataset",
        None,
        "which of the datasets with a builder, or a TFDS builder of your own by its path or import name",
        flag_values=v,
    )
    flags.DEFINE_string(
        "table",
        None,
        "your own table instead: a CSV (also .gz), Parquet or .npz file, or a folder with one such file a task",
        flag_values=v,
    )
    flags.DEFINE_string(
        "task_column", None, "the table's column that says which task a row is of", flag_values=v
    )
    flags.DEFINE_list(
        "feature_columns",
        [],
        "the table's features, separated by commas (a name with a comma in double quotes); "
        "all other columns if not given",
        flag_values=v,
    )
    flags.DEFINE_string(
        "label_column",
        None,
        "the table's column of classes, compared with clusters in the end, and predicted with "
        "--loss=cross_entropy",
        flag_values=v,
    )
    flags.DEFINE_list("ignore_columns", [], "columns of the table to leave out", flag_values=v)
    flags.DEFINE_string(
        "scaling",
        None,
        "'minmax', 'standard' or 'none': learned from the source tasks, kept in the model, so that values go "
        "in and come out in raw units (default minmax for a table, none for a dataset)",
        flag_values=v,
    )
    flags.DEFINE_string(
        "missing",
        "error",
        "what to do about missing values: 'error', 'median' (fill in the source tasks' medians, also when the "
        "model is used) or 'drop_rows'",
        flag_values=v,
    )
    flags.DEFINE_list(
        "beam_options",
        [],
        "prepare the table with Apache Beam, for one that is too large for one machine: Beam's own options as "
        "name=value or name, separated by commas, like runner=DirectRunner,direct_num_workers=2; what is "
        "prepared is the same",
        flag_values=v,
    )
    flags.DEFINE_string(
        "data_mirror",
        None,
        "a folder with <dataset>/<file name> to read instead of downloading; "
        f"the environment variable {data_builders.MIRROR_VARIABLE} says the same",
        flag_values=v,
    )
    flags.DEFINE_string("data_dir", data_builders.DATA_DIR, "where prepared datasets are kept", flag_values=v)
    flags.DEFINE_string(
        "cache",
        "auto",
        "'memory' holds all rows, 'stream' reads them from the prepared files as they are drawn, for the same "
        "model; 'auto' streams what would take more than half of the memory that is free",
        flag_values=v,
    )
    flags.DEFINE_string(
        "workdir",
        None,
        "where the run writes; runs/<name of the data> if not given, for tune runs/<name of the data>_tuning",
        flag_values=v,
    )
    flags.DEFINE_string(
        "target_task",
        None,
        "the task to hold out and select for; drawn from the seed if not given; 'none' trains on every task",
        flag_values=v,
    )
    flags.DEFINE_string(
        "validation_task", None, "the task to validate on; drawn from the seed if not given", flag_values=v
    )
    flags.DEFINE_string(
        "validation",
        "task",
        "'task': one source task validates and 80 % of the rows of each source task are used; "
        "'rows': 80 % of each source task train, 20 % validate (the default with --target_task=none)",
        flag_values=v,
    )
    flags.DEFINE_integer("support_size", 4, "N_S, rows in a support set", flag_values=v)
    flags.DEFINE_integer("num_selected", 10, "K, features to select", flag_values=v)
    flags.DEFINE_integer("query_size", None, "N_Q, query rows an episode; 64 - N_S if not given", flag_values=v)
    flags.DEFINE_integer("episodes_per_step", 1, "episodes averaged in one step", flag_values=v)
    flags.DEFINE_string(
        "loss",
        "reconstruction",
        "'reconstruction': select features that all others follow from; 'cross_entropy': select features that "
        "predict the rows' labels (the support rows need none)",
        flag_values=v,
    )
    flags.DEFINE_integer("steps", 50000, "training steps", flag_values=v)
    flags.DEFINE_float("learning_rate", 0.001, "Adam's learning rate", flag_values=v)
    flags.DEFINE_float("initial_temperature", 10.0, "T_0, tau at the first step", flag_values=v)
    flags.DEFINE_float("final_temperature", 0.01, "T_1, tau at the last step", flag_values=v)
    flags.DEFINE_string("noise", "on", "'on' or 'off': Gumbel noise in training", flag_values=v)
    flags.DEFINE_string(
        "selection", "argmax", "'argmax' (the paper) or 'unique' (K distinct features)", flag_values=v
    )
    flags.DEFINE_integer("seed", 0, "what every draw of the run depends on", flag_values=v)
    flags.DEFINE_string(
        "jit", "auto", "'on', 'off' or 'auto': compile the training loop with XLA", flag_values=v
    )
    flags.DEFINE_integer("threads", 0, "TensorFlow's threads; 0 chooses by problem size", flag_values=v)
    flags.DEFINE_string(
        "distribute",
        "none",
        "for run and train: 'none', or 'multi_worker' to share the episodes of every step among the workers "
        "that the environment variable TF_CONFIG names; each is started with the same command",
        flag_values=v,
    )
    flags.DEFINE_integer("eval_every", 500, "steps between validations", flag_values=v)
    flags.DEFINE_integer("embedding_units", 64, "units of the support set's embedding", flag_values=v)
    flags.DEFINE_list("decoder_units", ["32", "32"], "units of the decoder's hidden layers", flag_values=v)
    flags.DEFINE_integer("selector_dim", 300, "T, the size of each selector's parameter pi", flag_values=v)
    flags.DEFINE_integer("task_code_dim", 1, "the size of the decoder's task code r(S)", flag_values=v)
    flags.DEFINE_float("pi_stddev", 0.05, "standard deviation of the initial pi", flag_values=v)
    flags.DEFINE_string(
        "output_activation",
        "auto",
        "what reconstructions end with: 'sigmoid', 'tanh', 'linear', or 'auto' to follow the range of the data",
        flag_values=v,
    )
    flags.DEFINE_string(
        "model", None, "for select: a workdir, an export folder or a version folder", flag_values=v
    )
    flags.DEFINE_string(
        "support",
        None,
        "for select: a CSV (also .gz), Parquet, .npz or .npy file with the new rows",
        flag_values=v,
    )
    flags.DEFINE_string(
        "server",
        None,
        "for select: a server to ask instead, like http://localhost:8501 (REST) or localhost:8500 (gRPC)",
        flag_values=v,
    )
    flags.DEFINE_integer(
        "keep_versions",
        0,
        "for export and run: how many versions to keep, with the new one; 0 for all",
        flag_values=v,
    )
    flags.DEFINE_string("model_name", contract.MODEL_NAME, "what the server calls the model", flag_values=v)
    flags.DEFINE_string(
        "model_base_path",
        None,
        "for serve: the export folder, which holds the versions; that of --workdir if not given",
        flag_values=v,
    )
    flags.DEFINE_integer("port", contract.GRPC_PORT, "for serve: the port for gRPC", flag_values=v)
    flags.DEFINE_integer("rest_api_port", contract.REST_PORT, "for serve: the port for REST", flag_values=v)
    flags.DEFINE_string(
        "bind_address",
        "127.0.0.1",
        "for serve: the address to listen on; only this machine reaches the default, 0.0.0.0 opens it to all",
        flag_values=v,
    )
    flags.DEFINE_boolean(
        "enable_batching", True, "for serve: compute for waiting requests together", flag_values=v
    )
    flags.DEFINE_float(
        "file_system_poll_wait_seconds", 1.0, "for serve: seconds between looks for new versions", flag_values=v
    )
    flags.DEFINE_string("format", "table", "for select: 'table' or 'json'", flag_values=v)
    flags.DEFINE_string(
        "tuner",
        "bayesian",
        "for tune: keras-tuner's oracle, 'random', 'bayesian' or 'hyperband', whose early trials are short",
        flag_values=v,
    )
    flags.DEFINE_integer(
        "trials",
        30,
        "for tune: how many trials of --steps steps; hyperband spends no more steps on more, shorter ones",
        flag_values=v,
    )
    flags.DEFINE_integer(
        "folds",
        1,
        "for tune: how many source tasks validate in turn; a trial is trained once for each, and its loss is "
        "the mean",
        flag_values=v,
    )
    flags.DEFINE_string(
        "search_space",
        "default",
        "for tune: a TOML file that says what each tuned flag may be, or the name of a published one: "
        + ", ".join(published_spaces()),
        flag_values=v,
    )
    flags.DEFINE_string("experiment", "main", "the grid's name: results go to <name>.jsonl", flag_values=v)
    flags.DEFINE_list(
        "datasets", [], "the datasets to compare on, each by its flag file: mnist_r, mine.flags", flag_values=v
    )
    flags.DEFINE_list("methods", ["ours"], f"the methods to compare: {', '.join(METHODS)}", flag_values=v)
    flags.DEFINE_list("support_sizes", ["2", "4", "6"], "values of N_S", flag_values=v)
    flags.DEFINE_list("numbers_selected", ["10", "20", "30", "40", "50"], "values of K", flag_values=v)
    flags.DEFINE_integer("splits", 20, "how many random splits", flag_values=v)
    flags.DEFINE_string(
        "cells", "", "run only a part of the grid, like dataset=mnist_r,method=ours|cae_s", flag_values=v
    )
    flags.DEFINE_integer(
        "workers",
        0,
        "for experiment and tune: processes with one thread each; 0 for one a core",
        flag_values=v,
    )
    flags.DEFINE_string("results_dir", "results", "the folder of the grids' results", flag_values=v)
    flags.DEFINE_string("results_page", "RESULTS.md", "the page that --mode=tables writes", flag_values=v)
    return v
