from tests.conftest import SMALL
from tffs.evaluation.stored_result import stored_result
from tffs.flags import parse
from tffs.running.finished_run import finished_run
from tffs.running.watcher import Watcher
from tffs.running.whole_run import whole_run
from tffs.serving.contract import versions_in


def test_a_run_that_was_done_before_is_not_done_again(finished, data_dir, capsys):
    versions = versions_in(finished.exports)
    command = parse(["tffs", *SMALL, f"--workdir={finished.path}", f"--data_dir={data_dir}"])
    result = whole_run(command, Watcher())
    assert capsys.readouterr() == ("", "")
    assert result == stored_result(finished)
    assert versions_in(finished.exports) == versions


def test_a_trained_run_is_loaded_with_its_rows(finished, data_dir):
    command = parse(["tffs", "--mode=evaluate", f"--workdir={finished.path}", f"--data_dir={data_dir}"])
    with finished_run(command, Watcher()) as (setting, fitted, workdir):
        assert workdir.path == finished.path
        assert setting.config == finished.stored_config()
        chosen = fitted.candidates(setting.support, setting.config.model.num_selected)[0]
        names = [setting.tasks.feature_names[feature] for feature in chosen]
    assert names == stored_result(finished)["selected"]
