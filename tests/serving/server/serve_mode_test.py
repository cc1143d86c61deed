import sys

import pytest

from tffs.errors import UserError
from tffs.modes.serve import serve


@pytest.mark.parametrize("package", ["aiohttp", "grpc_health"])
def test_missing_package_is_named_with_the_command_that_installs_it(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UserError, match=rf"needs the package '{package}'.*pip install 'tffs\[serving\]'"):
        serve(None, None)


def test_wrong_folder_is_one_sentence(run_main, tmp_path):
    outcome = run_main("--mode=serve", f"--model_base_path={tmp_path}/nowhere", "--port=0", "--rest_api_port=0")
    assert outcome.code == 1
    assert outcome.err.startswith("tffs: --model_base_path=")
    assert len(outcome.err.strip().splitlines()) == 1
