"""A command under a limit of the operating system."""

import sys

# The limit is set by a process of its own: a `preexec_fn` would fork this one, and a fork of a process whose
# threads are inside gRPC now and then dies by SIGABRT before it runs anything.
_SET_LIMIT = """
import os, resource, sys
limit, most = map(int, sys.argv[1:3])
resource.setrlimit(limit, (most, most))
os.execv(sys.argv[3], sys.argv[3:])
"""


def limited(limit, most, *command):
    """Give a command that runs another one, named by its path, under one of `resource`'s limits."""
    return [sys.executable, "-c", _SET_LIMIT, str(limit), str(most), *command]
