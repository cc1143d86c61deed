import asyncio
import signal
import sys
from types import SimpleNamespace

import pytest

from tffs.errors import UserError
from tffs.modes.console import Console
from tffs.modes.serve import serve
from tffs.signals import Signals


@pytest.mark.parametrize("package", ["aiohttp", "grpc_health"])
def test_missing_package_is_named_with_the_command_that_installs_it(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UserError, match=rf"needs the package '{package}'.*pip install '\.\[serving\]'"):
        serve(None, None)


@pytest.mark.parametrize(
    ("given", "fragment"),
    [
        (["--port=8500", "--rest_api_port=8500"], "gRPC and REST need a port each"),
        (["--bind_address="], "--bind_address must be an address of this machine"),
    ],
)
def test_addresses_that_cannot_be_are_refused(run_main, tmp_path, given, fragment):
    outcome = run_main("--mode=serve", f"--model_base_path={tmp_path}", *given)
    assert outcome.code == 1
    assert fragment in outcome.err
    assert len(outcome.err.strip().splitlines()) == 1


def test_signal_while_starting_is_one_sentence_and_its_exit_code(monkeypatch, capsys):
    def interrupted(coroutine):
        coroutine.close()
        raise KeyboardInterrupt

    monkeypatch.setattr(asyncio, "run", interrupted)
    signals = Signals()
    signals.received = signal.SIGTERM
    with pytest.raises(SystemExit) as stopped:
        serve(SimpleNamespace(serve=None), Console(signals))
    assert stopped.value.code == 128 + signal.SIGTERM
    assert capsys.readouterr().err == "Stopped before serving.\n"


def test_wrong_folder_is_one_sentence(run_main, tmp_path):
    outcome = run_main("--mode=serve", f"--model_base_path={tmp_path}/nowhere", "--port=0", "--rest_api_port=0")
    assert outcome.code == 1
    assert outcome.err.startswith("tffs: --model_base_path=")
    assert len(outcome.err.strip().splitlines()) == 1
