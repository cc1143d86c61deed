"""What the command line can do."""

MODES = {
    "run": "prepare, train, evaluate, export, and select on the held-out target (the default)",
    "inspect": "say what is in a table and what is wrong with it; changes nothing",
    "prepare": "build the dataset with TFDS and list its tasks",
    "train": "train, or resume training",
    "evaluate": "measure a trained run on its held-out target, beside two yardsticks",
    "export": "write a new version of the SavedModel of a trained run",
    "report": "write the report of a trained run again: <workdir>/report.html",
    "select": "choose features for a new task with an exported model, or with a server",
    "reconstruct": "infer all features of rows of which some were measured",
    "assess": "judge your own choice of features beside what tffs would choose",
    "serve": "answer requests with an exported model, as TF Serving does",
    "tune": "search for better hyperparameters by the validation loss, or go on with a search",
    "experiment": "run a grid that compares methods, or what is left of it",
}
# Modes that read what they need from <workdir>/config.json; the flags of a run must agree with it.
AFTER_TRAINING = ("evaluate", "export")
# Modes in which several workers train together.
DISTRIBUTED = ("run", "train")
# Modes that read the rows of a run.
WITH_ROWS = ("run", "train", *AFTER_TRAINING, "tune", "experiment")
# Modes that ask a trained model.
ASKING = ("select", "reconstruct", "assess")
EVERY = tuple(MODES)
