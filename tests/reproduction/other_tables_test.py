from tests.tables.lines import result, rows_of
from tffs.tables.counts_and_times import deduplication_table, time_table
from tffs.tables.other_tables import spec_table, stability_table, supervised_table, yardstick_table


def lines(dataset, values, metric, splits=5, **others):
    return [
        result(dataset, method, split, **{metric: value + split, **others})
        for method, value in values.items()
        for split in range(splits)
    ]


def test_spec_stands_in_both_orders_beside_the_papers():
    values = {"spec_t": 3.0, "spec_t_corrected": 20.0, "spec_st": 4.0, "spec_st_corrected": 10.0}
    header, here, paper = rows_of(spec_table(lines("mnist_r", values, "ari")).table)
    assert header[4:] == ["SPEC-T", "SPEC-T (corrected)", "SPEC-ST", "SPEC-ST (corrected)"]
    assert here[4:] == ["5.0(1.6)", "**22.0(1.6)**", "6.0(1.6)", "12.0(1.6)"]
    assert paper[4:] == ["3.4(3.7)", "–", "3.7(5.1)", "–"]


def test_all_features_have_no_reconstruction_and_that_is_no_gap():
    found = lines("mnist_r", {"ours": 1.0, "cae_s": 2.0, "random": 3.0, "variance": 4.0}, "msre", ari=5.0)
    found += lines("mnist_r", {"all": 6.0}, "ari")
    section = yardstick_table(found)
    rows = rows_of(section.table)
    assert rows[1][4:] == ["**3.000(1.581)**", "4.000(1.581)", "5.000(1.581)", "6.000(1.581)", "–"]
    assert rows[2][-1] == "**8.0(1.6)**"
    assert not any("All features" in note for note in section.notes)


def test_stability_has_no_boldface_and_only_methods_that_have_one():
    found = lines("isolet", {"ours": 0.5, "cae_s": 1.0}, "stability", splits=1)
    found += lines("isolet", {"cae_t": 1.0}, "ari", splits=1)
    header, row = rows_of(stability_table(found).table)
    assert header[4:] == ["Ours", "CAE-S"]
    assert row[4:] == ["0.50", "1.00"]


def test_supervised_variant_has_a_row_for_each_size():
    values = {"ours_supervised": 80.0, "random_supervised": 60.0, "all_supervised": 90.0}
    found = lines("digits_r", values, "accuracy", num_selected=5, support_size=4)
    found += lines("digits_r", {"ours_supervised": 82.0}, "accuracy", num_selected=10, support_size=4)
    section = supervised_table(found)
    header, five, ten = rows_of(section.table)
    assert header[4:] == ["Ours (supervised)", "Random", "All features"]
    assert (five[0], five[4:]) == ("digits_r, N_S=4, K=5", ["82.0(1.6)", "62.0(1.6)", "**92.0(1.6)**"])
    assert ten[4:] == ["84.0(1.6)", "–", "–"]
    assert section.notes == ("Random and All features have no figures on digits_r at N_S=4, K=10.",)


def test_deduplication_counts_at_two_support_rows_beside_the_papers():
    found = [result("amazon_reviews", "ours", split, 2, 10, distinct=6 + split) for split in (0, 1)]
    found += [result("amazon_reviews", "ours", 0, 4, 10, distinct=1)]
    found += [result("amazon_reviews", "ours", 0, 2, 50, distinct=33)]
    section = deduplication_table(found)
    header, here, paper = rows_of(section.table)
    assert header == ["data", "splits", "K=10", "K=20", "K=30", "K=40", "K=50"]
    assert here == ["Amazon", "1 to 2", "6.5", "–", "–", "–", "33.0"]
    assert paper == ["*paper*", "20", "6.8", "12.9", "17.9", "20.1", "30.1"]
    assert "Without K = 20, 30, 40 of the paper's grid: Amazon." in section.notes


def test_times_stand_beside_the_papers():
    found = lines("mnist_r", {"ours": 40.0}, "seconds", splits=2, select_seconds=0.0012)
    found += lines("mnist_r", {"cae_s": 20.0, "ls_t": 0.001}, "seconds", splits=2)
    found += lines("isolet", {"ours": 1000.0}, "seconds")
    section = time_table(found)
    header, *rows = rows_of(section.table)
    rows = [dict(zip(header, row, strict=True)) for row in rows]
    assert [row["Ours"] for row in rows] == ["40.5(0.7)", "303.725"]
    assert [row["Ours-target"] for row in rows] == ["0.0012(0.0000)", "0.003"]
    assert [row["CAE-T"] for row in rows] == ["–", "119.699"]
    assert rows[0]["cells"] == "2 of 2"
    assert "50,000 steps" in section.about


def test_without_lines_there_are_no_tables():
    nothing = [result("mnist_r", "ours_wo_r", 0, msre=1.0)]
    for make in (
        spec_table,
        yardstick_table,
        stability_table,
        supervised_table,
        deduplication_table,
        time_table,
    ):
        assert make(nothing) is None
