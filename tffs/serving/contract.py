"""The names that a client, a server and an exported model agree on; nothing here imports TensorFlow."""

import os

# Signatures; `serving_default` is the first.
SELECT = "select"
SELECT_MASKED = "select_masked"
SELECT_EXAMPLES = "select_examples"
RANK = "rank"
SELECT_LIMITED = "select_limited"  # the first K features of `rank`
RECONSTRUCT = "reconstruct"
CLASSIFY = "classify"  # in the place of `reconstruct` where a model predicts classes
DESCRIBE = "describe"
DEFAULT_SIGNATURE = "serving_default"

# The input of a task's support rows, which no answer has a line for.
SUPPORT = "support"

# The input that says how many of these rows count; what follows them has no influence.
SUPPORT_SIZE = "support_size"

# The output that holds a task's error in one sentence, or nothing.
ERROR = "error"

# Files of a version folder.
FEATURE_NAMES = os.path.join("assets", "feature_names.txt")
DESCRIPTION = os.path.join("assets", "description.json")
MODEL_CARD = "MODEL_CARD.md"
EXTRA = "assets.extra"
WARMUP = os.path.join(EXTRA, "tf_serving_warmup_requests")
GOLDEN_REQUEST = os.path.join(EXTRA, "golden_request.json")
GOLDEN_RESPONSE = os.path.join(EXTRA, "golden_response.json")

# What a server and a client use unless told otherwise.
MODEL_NAME = "tffs"
GRPC_PORT = 8500
REST_PORT = 8501

LARGEST_VERSION = 2**63 - 1  # a version is an int64 in TF Serving's messages


def versions_in(exports: str) -> list[int]:
    """List the versions in an export folder, oldest first; 007 is none, and no number beyond int64 is."""
    if not os.path.isdir(exports):
        return []
    with os.scandir(exports) as entries:
        return sorted(int(entry.name) for entry in entries if _is_version(entry))


def _is_version(entry: os.DirEntry) -> bool:
    name = entry.name
    if not (name.isdecimal() and name == str(int(name)) and int(name) <= LARGEST_VERSION):
        return False
    try:
        return entry.is_dir()
    except OSError:  # a symlink that leads to itself, for example
        return False
