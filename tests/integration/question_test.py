"""Questions to a posterior model and to the paper's network on the command line."""

import csv
import functools
import gzip
import json

import numpy as np
import pandas as pd
import pytest
import tensorflow as tf

from tests.integration.bad_input_test import assert_refused
from tests.serving.posterior import NAMES, posterior_model
from tests.serving.server.running_server import RunningServer
from tffs.models import concrete_model
from tffs.serving.export import export_model
from tffs.serving.exported_model import ExportedModel

HEADER = ",".join(f'"{name}"' for name in NAMES)
SUPPORT = f"{HEADER}\n1,2,3,3,5,6\n2,1,4,3,2,1\n"
VALUES = 'id,PPE,note,"x,y"\n01,2.50,a,\n02,,"b,c",7\n03,1e-1,,2\n'
COSTS = 'Jitter(%),4\nPPE,5\na b,1\ngröße,1\n"x,y",2\nr0c0,0\n'


@pytest.fixture(scope="module")
def exports(tmp_path_factory):
    """The folders of versions of a posterior model and of a concrete one with the same features."""
    folder = tmp_path_factory.mktemp("models")
    export_model(posterior_model(novelty=True), NAMES, 4, str(folder / "posterior"))
    model = concrete_model(6, 3, selector_dim=5, embedding_units=4, decoder_units=(3,), seed=7)
    model.build()
    export_model(model, NAMES, 2, str(folder / "concrete"))
    return folder


@pytest.fixture(scope="module")
def _loaded_once(exports):
    """Load each model once for all questions: none changes it, and it takes a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tf.saved_model, "load", functools.cache(tf.saved_model.load))
        yield


@pytest.fixture
def ask(_loaded_once, exports, run_main, tmp_path, monkeypatch):
    """Ask the posterior model, or another, in a folder with some files."""
    monkeypatch.chdir(tmp_path)
    for name, text in {"support.csv": SUPPORT, "values.csv": VALUES, "costs.csv": COSTS}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")

    def run(*flags, model="posterior"):
        where = f"--model={exports / model}" if "://" not in model else f"--server={model}"
        return run_main(where, *flags)

    return run


def answer(outcome):
    assert outcome.code == 0, outcome.err
    return json.loads(outcome.out)


def names(outcome):
    return [feature["name"] for feature in answer(outcome)["selected"]]


def test_select_gives_any_number_of_features_and_the_same_first_ones(ask):
    all_of_them = names(ask("--mode=select", "--support=support.csv", "--num_selected=6", "--format=json"))
    assert sorted(all_of_them) == sorted(NAMES)
    for k in (1, 4):
        flags = ("--mode=select", "--support=support.csv", f"--num_selected={k}", "--format=json")
        assert names(ask(*flags)) == all_of_them[:k]
    default = answer(ask("--mode=select", "--support=support.csv", "--format=json"))
    assert [feature["name"] for feature in default["selected"]] == all_of_them[:3]
    assert (default["method"], default["rows"], default["version"], default["distinct"]) == (
        "posterior",
        2,
        1,
        3,
    )
    assert 0.0 < default["novelty"] < 1.0


def test_expected_errors_fall_by_the_scores_from_that_of_no_feature(ask):
    found = answer(ask("--mode=select", "--num_selected=6", "--format=json"))
    errors = [found["expected_error_of_none"], *(feature["expected_error"] for feature in found["selected"])]
    np.testing.assert_allclose(-np.diff(errors), [feature["score"] for feature in found["selected"]], atol=1e-6)
    assert errors[0] > errors[-1]
    assert (found["rows"], found["novelty"]) == (0, None)


def test_auto_stops_where_little_is_gained(ask):
    outcome = ask("--mode=select", "--num_selected=auto", "--format=json")
    found = answer(outcome)
    ranked = answer(ask("--mode=select", "--num_selected=6", "--format=json"))
    errors = [ranked["expected_error_of_none"], *(feature["expected_error"] for feature in ranked["selected"])]
    k = found["distinct"]
    assert errors[k] - min(errors) <= 0.1 * (errors[0] - min(errors)) < errors[k - 1] - min(errors)
    assert found["selected"] == ranked["selected"][:k]
    assert f"{k} features are chosen" in outcome.err


def test_included_features_come_first_and_excluded_ones_never(ask):
    flags = ("--mode=select", "--include=größe,a b", '--exclude="x,y",PPE', "--num_selected=4", "--format=json")
    found = names(ask(*flags))
    assert set(found[:2]) == {"größe", "a b"}
    assert set(found[2:]) == {"Jitter(%)", "r0c0"}


def test_a_budget_is_kept_and_what_is_free_comes_first(ask):
    outcome = ask("--mode=select", "--costs=costs.csv", "--budget=3", "--format=json")
    chosen = answer(outcome)["selected"]
    assert chosen[0]["name"] == "r0c0"
    assert chosen[0]["cost"] == 0.0
    assert sum(feature["cost"] for feature in chosen) <= 3.0
    table = ask("--mode=select", "--costs=costs.csv", "--budget=3")
    assert table.out.splitlines()[0].split() == ["k", "feature", "index", "expected", "error", "score", "cost"]


def test_the_table_begins_with_no_feature_and_says_how_unusual_the_rows_are(ask, tmp_path):
    outcome = ask("--mode=select", "--support=support.csv")
    lines = outcome.out.splitlines()
    assert lines[1].split()[0] == "0"
    assert [line.split()[0] for line in lines[2:5]] == ["1", "2", "3"]
    assert lines[5].startswith("Novelty of the rows: 0.")
    (tmp_path / "far.csv").write_text(f"{HEADER}\n900,900,900,3,900,900\n")
    assert "more unusual than 100 % of the source tasks" in ask("--mode=select", "--support=far.csv").err
    assert "No rows of the new task were given" in ask("--mode=select").out


def test_a_million_support_rows_are_used(ask, tmp_path):
    np.save(tmp_path / "many.npy", np.random.default_rng(0).normal(size=(1_000_000, 6)).astype(np.float32))
    assert answer(ask("--mode=select", "--support=many.npy", "--format=json"))["rows"] == 1_000_000


def test_reconstruct_completes_rows_and_keeps_what_the_file_has(ask, exports, tmp_path):
    outcome = ask("--mode=reconstruct", "--values=values.csv", "--support=support.csv", "--output=out.csv.gz")
    assert (outcome.code, outcome.out) == (0, ""), outcome.err
    with gzip.open(tmp_path / "out.csv.gz", "rt", encoding="utf-8") as file:
        text = pd.read_csv(file, dtype=str, keep_default_na=False)
    ends = ("", "_low", "_high")
    assert list(text.columns) == ["id", "note", *(name + end for name in NAMES for end in ends)]
    assert text["id"].tolist() == ["01", "02", "03"]
    assert text["note"].tolist() == ["a", "b,c", ""]
    for end in ends:
        assert text[f"PPE{end}"].tolist()[::2] == ["2.50", "1e-1"]
        assert text[f"x,y{end}"].tolist()[1:] == ["7", "2"]
    model, values = ExportedModel(str(exports / "posterior")), pd.read_csv(tmp_path / "values.csv")
    expected = model.reconstruct(pd.read_csv(tmp_path / "support.csv"), values, interval=0.9)
    for frame, end in zip(expected, ends, strict=True):
        found = text[[name + end for name in NAMES]].astype(np.float32)
        np.testing.assert_allclose(found, frame, rtol=1e-6)


def test_reconstruct_as_json_has_the_same_rows(ask, tmp_path):
    found = answer(ask("--mode=reconstruct", "--values=values.csv", "--interval=0.5", "--format=json"))
    assert {name: found[name] for name in ("version", "method", "rows", "interval")} == {
        "version": 1, "method": "posterior", "rows": 0, "interval": 0.5
    }  # fmt: skip
    first = found["reconstruction"][0]
    assert (first["id"], first["PPE"], first["PPE_low"]) == ("01", 2.5, 2.5)
    assert first["r0c0_low"] < first["r0c0"] < first["r0c0_high"]
    wide = answer(ask("--mode=reconstruct", "--values=values.csv", "--format=json"))["reconstruction"][0]
    assert wide["r0c0_low"] < first["r0c0_low"]
    table = ask("--mode=reconstruct", "--values=values.csv", "--interval=0.5")
    assert table.out.splitlines()[0].startswith("id,note,Jitter(%),Jitter(%)_low")
    assert len(table.out.splitlines()) == 4


def test_ends_of_intervals_get_names_that_no_other_column_has(ask, tmp_path):
    (tmp_path / "clash.csv").write_text("PPE_low,PPE\n9,1\n")
    (header,) = csv.reader(ask("--mode=reconstruct", "--values=clash.csv").out.splitlines()[:1])
    assert header[0] == "PPE_low"
    assert {"PPE", "PPE_interval_low", "PPE_interval_high"} <= set(header)
    assert len(set(header)) == len(header)


def test_assess_sets_a_persons_list_beside_the_choice(ask):
    flags = ("--mode=assess", "--features=größe,a b", "--support=support.csv")
    found = answer(ask(*flags, "--format=json"))
    assert {feature["name"] for feature in found["features"]} == {"größe", "a b"}
    chosen = answer(ask("--mode=select", "--support=support.csv", "--num_selected=2", "--format=json"))
    assert found["tffs"] == chosen["selected"]
    assert found["features"][1]["expected_error"] > found["tffs"][1]["expected_error"]
    assert found["next"][0]["expected_error"] < found["features"][1]["expected_error"]
    text = ask(*flags).out
    assert "Yours leave" in text
    assert f"Most would be gained next by {found['next'][0]['name']} (then" in text
    best = ",".join(f'"{feature["name"]}"' for feature in found["tffs"])
    assert (
        "Your features are those that tffs would choose"
        in ask("--mode=assess", f"--features={best}", flags[2]).out
    )


def test_a_server_is_asked_as_the_model_is(ask, exports):
    with RunningServer(exports / "posterior") as running:
        server = f"http://127.0.0.1:{running.server.rest_port}"
        for flags in (
            ("--mode=select", "--support=support.csv", "--exclude=PPE"),
            ("--mode=select", "--num_selected=auto"),
            ("--mode=assess", "--features=a b"),
            ("--mode=reconstruct", "--values=values.csv"),
        ):
            local, served = ask(*flags), ask(*flags, model=server)
            assert served.code == 0, served.err
            assert served.out == local.out


def test_the_papers_network_reconstructs_without_intervals(ask, exports, tmp_path):
    chosen = names(ask("--mode=select", "--support=support.csv", "--format=json", model="concrete"))
    pd.DataFrame({"id": ["a"], **{name: [0.25] for name in chosen}}).to_csv(
        tmp_path / "chosen.csv", index=False
    )
    flags = ("--mode=reconstruct", "--support=support.csv", "--values=chosen.csv")
    outcome = ask(*flags, "--format=json", model="concrete")
    assert "this model gives no intervals" in outcome.err
    (row,) = answer(outcome)["reconstruction"]
    assert set(row) == {"id", *NAMES}
    assert_refused(
        ask(*flags, "--interval=0.9", model="concrete"), "--interval was given, but this model gives no"
    )


@pytest.mark.parametrize(
    ("flags", "fragment"),
    [
        (("--mode=select", "--num_selected=2"), "selects exactly 3 features. Received: num_selected=2"),
        (("--mode=select", "--num_selected=auto"), "does not rank features"),
        (("--mode=select", "--include=PPE"), "Received: include"),
        (("--mode=select", "--exclude=PPE"), "Received: exclude"),
        (("--mode=select", "--costs=costs.csv", "--budget=3"), "Received: costs, budget"),
        (("--mode=assess", "--features=PPE"), "does not rank features"),
        (("--mode=reconstruct", "--values=values.csv"), "but the values lack"),
    ],
)
def test_the_papers_network_refuses_what_it_cannot_do(flags, fragment, ask):
    assert_refused(ask(*flags, "--support=support.csv", model="concrete"), fragment)


def test_the_papers_network_needs_support_rows(ask):
    assert_refused(
        ask("--mode=select", model="concrete"), "--mode=select needs --support for this model, which takes 2"
    )


@pytest.mark.parametrize(
    ("flags", "fragment"),
    [
        (("--include=ppe",), "features in include. Received: 'ppe'"),
        (("--exclude=PPE,b",), "features in exclude. Received: 'b'"),
        (("--include=PPE", "--exclude=a b,PPE"), "Received: 'PPE' in both"),
        (("--num_selected=7",), "num_selected must be a whole number from 1 to 6"),
        (("--num_selected=6", "--exclude=PPE"), "num_selected of at most 5"),
        (("--num_selected=1", "--include=PPE,a b"), "num_selected must be at least"),
        ((f"--exclude={HEADER}",), "Every feature is excluded"),
        (("--costs=unknown.csv",), "features in costs. Received: 'b'"),
        (("--costs=few.csv",), "The costs lack"),
        (("--costs=negative.csv",), "but 'PPE' costs -1"),
        (("--costs=infinite.csv",), "but 'PPE' costs inf"),
        (("--costs=none.csv",), "--costs=none.csv is not there"),
        (("--costs=dear.csv", "--budget=3"), "The budget of 3 buys no feature"),
        (("--costs=costs.csv", "--budget=3", "--include=PPE"), "The included features cost 5 together"),
        (("--support=values.csv",), "lacks 4 of the model's 6 features"),
        (("--support=other.csv",), "lacks 6 of the model's 6 features"),
    ],
)
def test_a_wish_that_cannot_be_met_is_one_sentence(flags, fragment, ask, tmp_path):
    for name, text in {
        "unknown.csv": f"{COSTS}b,3\n",
        "few.csv": "PPE,1\n",
        "other.csv": "id,value\n1,2\n",
        "negative.csv": "PPE,-1\n",
        "infinite.csv": "PPE,inf\n",
        "dear.csv": COSTS.replace("r0c0,0", "r0c0,9").replace(",1\n", ",8\n").replace('",2', '",8'),
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert_refused(ask("--mode=select", *flags), fragment)


@pytest.mark.parametrize(
    ("flags", "fragment"),
    [
        (("--mode=assess", "--features=ppe,PPE"), "--features names 'ppe', which the model does not know"),
        (("--mode=assess", "--features=PPE,PPE"), "--features names 'PPE' more than once"),
        (("--mode=reconstruct", "--values=text.csv"), "column 'PPE': expected a number or an empty cell"),
        (("--mode=reconstruct", "--values=costs.csv"), "has none of the model's features as a column"),
        (("--mode=reconstruct", "--values=values.csv", "--output=no/out.csv"), "no is not a folder"),
        (("--mode=reconstruct", "--values=values.csv", "--output=values.csv"), "is the file of --values"),
    ],
)
def test_a_bad_list_or_file_is_one_sentence_and_leaves_nothing_behind(flags, fragment, ask, tmp_path):
    (tmp_path / "text.csv").write_text("id,PPE\n1,2\n2,two\n")
    (tmp_path / "costs.csv").write_text("feature,cost\nPPE,1\n")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert_refused(ask(*flags), fragment)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
