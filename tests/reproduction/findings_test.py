import re

import numpy as np
import pytest
from scipy import stats

from reproduction.findings import filled
from tests.reproduction.made_lines import frame, line
from tffs.errors import UserError

OURS = {(0, 10): 4.0, (0, 20): 2.0, (1, 10): 6.0, (1, 20): 3.0}
CAE_S = {(0, 10): 5.0, (0, 20): 4.0, (1, 10): 6.5, (1, 20): 2.5, (2, 10): 9.0}
OURS_WO_R = {(0, 10): 3.0, (0, 20): 3.0}


def lines():
    """Make methods on cells that they share in part, a second dataset, and K = 2, not of the paper's grid."""
    made = [
        line("mnist_r", method, split, 2, size, msre=msre, ari=40.0 - msre, distinct=size - split)
        for method, values in (("ours", OURS), ("cae_s", CAE_S), ("ours_wo_r", OURS_WO_R))
        for (split, size), msre in values.items()
    ]
    small = [line("amazon_reviews", "ours", split, 2, 10, msre=0.05 + 0.01 * split) for split in range(4)]
    few = [line("mnist_r", method, 0, 2, 2, msre=msre) for method, msre in (("ours", 9.0), ("cae_s", 6.0))]
    return frame(made, small, few, line("mnist_r", "ours", 0, 8, 10, msre=100.0))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ('two("ours", "cae_s", "mnist_r").apart', "16.7 % below"),  # 15 / 4 against 18 / 4
        ('two("cae_s", "ours", "mnist_r", K=10, split=range(2)).apart', "15.0 % above"),
        ('two("ours", "cae_s", "mnist_r").means', "3.750 against 4.500"),
        ('two("ours", "cae_s", "mnist_r", metric="ari", K=[10, 20]).means', "36.2 against 35.5"),
        ('two("ours", "cae_s", "mnist_r").p', "fewer than 5 splits, no p"),
        ('two("ours", "cae_s", "mnist_r").held_out', "task0 in 1 and task1 in 1"),
        ('two("ours_wo_r", "cae_s", "mnist_r").held_out', "task0 in 1"),
        ('two("cae_s", "ours", "mnist_r", split=1).held_out', "task1 in 1"),
        ('two("ours", "cae_s", "mnist_r").cells', "4"),
        ('two("ours", "cae_s", "mnist_r").splits', "2"),
        ('two("ours", "cae_s", "mnist_r").lower', "3"),
        ('two("ours", "cae_s", "mnist_r", N_S=2, split=1).lower', "1"),
        ('two("ours", "cae_s", "mnist_r", also=["ours_wo_r"]).means', "3.000 against 4.500"),
        ('two("cae_s", "ours", "mnist_r", K=2).apart', "33.3 % below"),
        ('mean("ours", "mnist_r", metric="distinct", K=20)', "19.5"),
        ('mean("ours", "mnist_r", metric="distinct", K=20, split=1)', "19"),
        ('mean("ours", "amazon_reviews")', "0.0650"),
        ('mean("ours", "mnist_r", K=10, N_S=8)', "100.000"),
        ('held_out("ours", "mnist_r")', "task0 in 1 and task1 in 1"),
        ('held_out("ours", "amazon_reviews")', "task0 in 2, task1 in 1 and task2 in 1"),
        ('held_out("cae_s", "mnist_r")', "task0 in 1, task1 in 1 and task2 in 1"),
    ],
)
def test_a_figure_is_that_of_the_lines(asked, said):
    assert filled(f"It is {{{{ {asked} }}}}.", lines(), "F.md") == f"It is {said}."


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ('two("posterior", "ours", "mnist_r").apart', "posterior and ours share no cell with msre of mnist_r"),
        (
            'two("ours", "cae_s", "mnist_r", K=35).p',
            "ours and cae_s share no cell with msre of mnist_r, K = 35",
        ),
        ('two("ours", "ours", "mnist_r").p', "ours and ours share no cell with msre of mnist_r"),
        ('mean("ours", "isolet")', "ours has no cell with msre of isolet"),
        ('held_out("posterior", "mnist_r")', "posterior has no cell of mnist_r"),
        ('level("ours", "mnist_r").away', "ours has fewer than 5 splits of mnist_r"),
        ('level("ours_wo_r", "mnist_r").away', "ours_wo_r has no MSRE of mnist_r here and in the paper"),
        ('level("ours", "isolet").away', "ours has no MSRE of isolet here and in the paper"),
        ('mean("ours", "mnist_r", size=3)', "size is none of K, N_S, split"),
        ('mean("ours", "mnist_r", metric="speed")', "speed is none of msre, "),
        ('mean("ours")', "missing 1 required positional argument"),
        ('median("ours")', "'median' is undefined"),
        ('two("ours", "cae_s", "mnist_r").gap', "no attribute 'gap'"),
        (
            'two("ours", "cae_s", "mnist_r")',
            "two('ours', 'cae_s', ...) is none; write .apart or .means behind it",
        ),
    ],
)
def test_a_figure_that_there_is_not_is_one_sentence(asked, said):
    said = f"F.md asks for a figure that there is not: .*{re.escape(said)}"
    with pytest.raises(UserError, match=said) as raised:
        filled(f"It is {{{{ {asked} }}}}.", lines(), "F.md")
    assert "\n" not in str(raised.value)


def test_p_is_over_split_means():
    """Two methods in five splits of two K: over cells the p would be another."""
    differences = np.array([[1.0, 1.2], [0.1, 0.3], [2.0, 2.4], [-0.3, -0.1], [0.2, 0.2]])
    made = [
        line("mnist_r", method, split, 2, size, msre=5.0 + size + (method == "ours") * differences[split, at])
        for method in ("ours", "cae_s")
        for split in range(5)
        for at, size in enumerate((10, 20))
    ]
    over_cells, over_splits = differences.ravel(), differences.mean(1)
    cells, splits = (stats.ttest_1samp(values, 0.0).pvalue for values in (over_cells, over_splits))
    assert cells < 0.05 < splits
    assert filled('{{ two("ours", "cae_s", "mnist_r").p }}', frame(made), "F.md") == f"p = {splits:.3f}"


def test_a_level_is_that_of_the_splits():
    figures = [3.0, 4.0, 3.5, 2.0, 4.5]
    made = [line("mnist_r", "ours", split, 2, 10, msre=msre) for split, msre in enumerate(figures)]
    distance = (4.258 - np.mean(figures)) / (np.std(figures, ddof=1) * np.sqrt(1 / 5 + 1 / 20))
    asked = '{% set it = level("ours", "mnist_r") %}{{ it.papers }}: {{ it.away }}, {{ it.drawn }}'
    # the tasks' means are 2.5, 4.25 and 3.5: hardly any 20 of them have a mean of 4.258
    said = f"4.258: {distance:.1f} standard errors above, less than 0.01 %"
    assert filled(asked, frame(made), "F.md") == said
    with pytest.raises(UserError, match=r"level\(\.\.\.\) is none; write \.away or \.drawn behind it"):
        filled('{{ level("ours", "mnist_r") }}', frame(made), "F.md")


def test_a_text_that_is_no_template_says_where():
    with pytest.raises(UserError, match=r"^F\.md, line 2, is no Jinja template: Expected an expression"):
        filled("It is\n{{ }}.", lines(), "F.md")
