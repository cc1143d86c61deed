import pytest

from reproduction.findings import filled
from tests.reproduction.made_lines import frame, line
from tffs.errors import UserError


def lines():
    """Make two methods on two splits and two K, and a third on K = 2 alone."""
    made = [
        line(
            "mnist_r", method, split, 2, size, msre=msre + split + size, ari=40.0 - msre, distinct=size - split
        )
        for method, msre in (("ours", 4.0), ("cae_s", 5.0))
        for split in range(3)
        for size in (10, 20)
    ]
    return frame(
        made, line("mnist_r", "ours", 0, 2, 2, msre=9.0), line("mnist_r", "posterior", 0, 2, 2, msre=6.0)
    )


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ('pair("ours", "cae_s", "mnist_r").change', "4.8 % below"),
        ('pair("cae_s", "ours", "mnist_r", K=10, split=range(2)).change', "6.9 % above"),
        ('pair("ours", "cae_s", "mnist_r").means|join(" against ")', "20.00 against 21.00"),
        (
            'pair("ours", "cae_s", "mnist_r", metric="ari", K=[10, 20]).means|join(" against ")',
            "36.0 against 35.0",
        ),
        ('pair("ours", "cae_s", "mnist_r").p', "p < 0.001"),
        ('pair("ours", "cae_s", "mnist_r").cells', "6"),
        ('pair("ours", "cae_s", "mnist_r", N_S=2, split=1).lower', "2"),
        ('pair("posterior", "ours", "mnist_r", K=2).change', "33.3 % below"),
        ('mean("ours", "mnist_r", metric="distinct", K=20)', "19.0"),
        ('mean("ours", "mnist_r", metric="distinct", K=20, split=1)', "19"),
        ('held_out("ours", "mnist_r")', "task0 in 1, task1 in 1 and task2 in 1"),
    ],
)
def test_a_figure_is_that_of_the_lines(asked, said):
    assert filled(f"It is {{{{ {asked} }}}}.", lines(), "F.md") == f"It is {said}."


def test_an_entry_of_a_list_becomes_one_line():
    text = "Two\nlines.\n\n- One\n  entry\n  - inside\n- and {{ 2 }}\n  more"
    assert filled(text, lines(), "F.md") == "Two\nlines.\n\n- One entry\n  - inside\n- and 2 more"


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ('pair("posterior", "ours", "mnist_r").change', "posterior and ours share no cell"),
        ('mean("ours", "isolet")', "ours has no cell with msre of isolet"),
        ('mean("ours", "mnist_r", size=3)', "size is none of K, N_S, split"),
        ('mean("ours", "mnist_r", metric="speed")', "speed"),
        ('median("ours")', "median"),
        ('pair("ours", "cae_s", "mnist_r").gap', "gap"),
        ("", "Expected an expression"),
    ],
)
def test_a_figure_that_there_is_not_is_one_sentence(asked, named):
    with pytest.raises(UserError, match=rf"F\.md asks for a figure that there is not \(.*{named}") as raised:
        filled(f"It is {{{{ {asked} }}}}.", lines(), "F.md")
    assert "\n" not in str(raised.value)
