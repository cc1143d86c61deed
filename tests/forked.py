"""Commands in processes of their own that have TensorFlow from the start: importing it takes longer than most.

One process imports it and starts nothing of it, so that no thread of TensorFlow is there, and forks for every
command. The child is a process like any other: it has its own number, folder, environment, streams and limits,
and may be killed. Only the import has been done: what a test says of the start itself needs `subprocess`.

    python -m tests.forked DESCRIPTOR    waits for commands on a socket
"""

import contextlib
import gc
import importlib
import json
import os
import pathlib
import resource
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile

from tffs.startup import quiet_stderr

IMPORTED = ("tensorflow", "keras", "tensorflow_datasets", "tffs.modes.train", "tffs.modes.export")
MOST = 2**20  # bytes of a request: arguments and environment
ROOT = pathlib.Path(__file__).parents[1]


class Forks:
    """Starts `python -m MODULE ARGUMENTS` in processes that have TensorFlow."""

    def __init__(self):
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.forked", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                cwd=ROOT,
            )

    def start(self, module, *arguments, cwd=None, env=None, largest_file=None, out=None):
        """Start a command.

        Args:
            module: what to run, as `python -m` does.
            arguments: its arguments.
            cwd: its folder; that of this process if not given.
            env: its environment; that of this process if not given.
            largest_file: the limit of the operating system for a file that it writes, in bytes.
            out: the path of a file to which standard output and error are added, if they are not to be kept
                apart.
        """
        request = {
            "module": module,
            "arguments": list(map(str, arguments)),
            "cwd": str(cwd or os.getcwd()),
            "env": dict(os.environ if env is None else env),
            "largest_file": largest_file,
        }
        streams = [open(out, "ab")] * 2 if out else [tempfile.TemporaryFile(), tempfile.TemporaryFile()]  # noqa: SIM115
        heard, told = os.pipe()
        try:
            descriptors = [*(stream.fileno() for stream in streams), told]
            socket.send_fds(self._socket, [json.dumps(request).encode()], descriptors)
        finally:
            os.close(told)
        return Forked(heard, streams)

    def close(self):
        """End the process that forks; its children go on."""
        self._socket.close()
        self._process.wait()


class Forked:
    """A command that was started: as much of `subprocess.Popen` as tests need."""

    def __init__(self, heard, streams):
        self._heard = open(heard, encoding="ascii")  # noqa: SIM115
        self._streams = streams
        self.pid = int(self._heard.readline())
        self.returncode = None

    def poll(self):
        """Give the exit code, or None while it runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout=None):
        """Wait for the end and give the exit code: minus the signal if one killed it."""
        if self.returncode is None:
            if not select.select([self._heard], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            self.returncode = int(self._heard.readline())
        return self.returncode

    def communicate(self, timeout=None):
        """Wait for the end and give what was written to standard output and standard error."""
        self.wait(timeout)
        texts = []
        for stream in self._streams:
            stream.seek(0)
            texts.append(stream.read().decode())
        return tuple(texts)

    def send_signal(self, number):
        """Send a signal to it, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self):
        """Kill it, unless it has ended."""
        self.send_signal(signal.SIGKILL)


def serve(requests):
    """Fork for every request; in a child this returns the module to run, at the end None."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the processes that wait for commands
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        message, descriptors, _, _ = socket.recv_fds(requests, MOST, 3)
        if not message:
            return None
        if os.fork() == 0:
            requests.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            return _command(json.loads(message), *descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


def _command(request, out, err, told):
    """Become the command in a child, whose end this process waits for and tells."""
    child = os.fork()
    if child:
        os.write(told, f"{child}\n".encode())
        _, status = os.waitpid(child, 0)
        with contextlib.suppress(BrokenPipeError):  # nobody wants to know
            os.write(told, f"{os.waitstatus_to_exitcode(status)}\n".encode())
        os._exit(0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.dup2(out, 1)
    os.dup2(err, 2)
    for descriptor in (out, err, told):
        os.close(descriptor)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    if request["largest_file"] is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (request["largest_file"],) * 2)
    sys.argv[1:] = request["arguments"]
    return request["module"]


def main():
    """Import TensorFlow, and run what is asked for."""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"  # as commands do before they load TensorFlow
    gc.disable()
    with quiet_stderr():
        for name in IMPORTED:
            importlib.import_module(name)
    gc.freeze()
    gc.enable()
    if module := serve(socket.socket(fileno=int(sys.argv[1]))):
        runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
