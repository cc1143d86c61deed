from tests.tables.lines import result, rows_of
from tffs.tables.variants import VARIANTS, variants_table, with_default_t

ABLATION, ANNEALING, _, SIMULTANEOUS, T_DEPENDENCE, _, INITIALISATION = VARIANTS


def ari(dataset, values, num_selected=10, splits=5):
    return [
        result(dataset, method, split, 2, num_selected, ari=value + split)
        for method, value in values.items()
        for split in range(splits)
    ]


def test_ablation_has_a_part_for_two_features_beside_the_papers():
    values = {"ours": 30.0, "ours_wo_r": 29.0, "ours_wo_alpha": 20.0, "cae_s": 10.0}
    lines = ari("mnist_r", values) + ari("mnist_r", values | {"ours": 9.0}, num_selected=2)
    section = variants_table(lines, ABLATION)
    assert [row[:2] + row[4:6] for row in rows_of(section.table)[1:]] == [
        ["MNIST-r", "ARI [%]", "**32.0(1.6)**", "31.0(1.6)"],
        ["*paper, mean of its four*", "ARI [%]", "19.0", "19.2"],
        ["*paper, mean of its four*", "NMI [%]", "32.2", "32.3"],
        ["MNIST-r, K=2", "ARI [%]", "11.0(1.6)", "**31.0(1.6)**"],
        ["*paper, mean of its four, K=2*", "ARI [%]", "6.5", "4.4"],
        ["*paper, mean of its four, K=2*", "NMI [%]", "16.6", "15.8"],
    ]
    assert section.notes[0] == "Not run on Isolet, Amazon and VLCS."


def test_two_features_that_were_not_run_are_said():
    section = variants_table(ari("mnist_r", {"ours": 1.0, "ours_wo_r": 1.0}), ABLATION)
    assert "K = 2 was not run." in section.notes
    assert "w/o α(S) and CAE-S have no figures on MNIST-r." in section.notes


def test_several_datasets_have_a_mean_like_the_papers():
    lines = ari("mnist_r", {"ours": 29.0, "cae_s": 19.0, "cae_st_sim": 9.0})
    lines += ari("isolet", {"ours": 39.0, "cae_st_sim": 19.0})
    rows = {row[0]: row[4:] for row in rows_of(variants_table(lines, SIMULTANEOUS).table)}
    assert rows["mean of these 2"] == ["36.0", "–", "–", "–", "16.0", "–"]


def test_a_dataset_on_which_no_variant_was_run_is_left_out():
    lines = ari("mnist_r", {"ours": 1.0, "ours_tau1": 2.0}) + ari("isolet", {"ours": 1.0, "cae_s": 2.0})
    section = variants_table(lines, ANNEALING)
    assert not any(row[0] == "Isolet" for row in rows_of(section.table))
    assert section.notes[0] == "Not run on Isolet, Amazon and VLCS."
    assert variants_table(ari("isolet", {"ours": 1.0, "cae_s": 2.0}), ANNEALING) is None


def test_ours_stands_for_its_default_t_where_that_was_not_run():
    lines = ari("mnist_r", {"ours": 1.0, "ours_T1": 2.0})
    lines += [result("mnist_r", "ours_T300", 0, ari=7.0), result("isolet", "ours_T300", 1, ari=7.0)]
    found = {line.split: line.ari for line in with_default_t(lines) if line.key[:2] == ("mnist_r", "ours_T300")}
    assert found == {0: 7.0, 1: 2.0, 2: 3.0, 3: 4.0, 4: 5.0}
    header, row = rows_of(variants_table(lines, T_DEPENDENCE).table)
    assert dict(zip(header, row, strict=True))["Ours (T=300)"] == "**4.2(1.9)**"


def test_the_default_t_alone_makes_no_table():
    assert variants_table(ari("mnist_r", {"ours": 1.0, "ours_T300": 1.0}), T_DEPENDENCE) is None


def test_initialisation_shows_how_many_features_are_distinct():
    lines = [
        result("mnist_r", method, split, 2, 10, msre=1.0, distinct=count)
        for method, count in (("ours", 4), ("ours_fan_in", 9))
        for split in range(5)
    ]
    rows = rows_of(variants_table(lines, INITIALISATION).table)
    assert [row[:2] + row[4:6] for row in rows if row[1] == "distinct features"] == [
        ["MNIST-r", "distinct features", "4.0(0.0)", "9.0(0.0)"]
    ]
