import dataclasses

import pytest

from tffs.options import InvalidOption, Section, built, number, one_of, option, options, part, sections, wholes


@dataclasses.dataclass(frozen=True)
class Inner(Section, group="Inner"):
    sizes: tuple[int, ...] = option((1, 2), "sizes", wholes(1, 9, "3,4"))
    rate: float = option(0.5, "a rate", number(0.0, 1.0), tunable=True)
    kind: str | None = option(None, "a kind", one_of("a", "b"), name="kind_of_it")


@dataclasses.dataclass(frozen=True)
class Outer(Section, group="Outer"):
    inner: Inner = part(("run",))
    added: str = option("new", "came later", before="old")
    folder: str = option("~", "a folder", path=True, before="~")


def test_an_option_is_described_by_its_field():
    found = options(Inner)
    assert list(found) == ["sizes", "rate", "kind_of_it"]
    assert (found["sizes"].kind, found["sizes"].several, found["sizes"].default) == (int, True, (1, 2))
    assert (found["rate"].kind, found["rate"].tunable, found["rate"].group) == (float, True, "Inner")
    assert (found["kind_of_it"].field, found["kind_of_it"].default) == ("kind", None)


def test_sections_are_listed_with_the_modes_that_use_them():
    assert list(sections(Outer)) == [(Inner, ("run",)), (Outer, None)]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"sizes": (0,)},
            "sizes must be whole numbers from 1 to 9, separated by commas, like 3,4, but received '0'.",
        ),
        ({"sizes": ()}, "sizes must be whole numbers"),
        ({"sizes": 3}, "sizes must be whole numbers"),
        ({"sizes": (1.5,)}, "sizes must be whole numbers"),
        ({"rate": float("nan")}, "rate must be a number from 0.0 to 1.0, but received nan."),
        ({"rate": True}, "rate must be a number"),
        ({"rate": "0.5"}, "rate must be a number"),
        ({"rate": None}, "rate must be a number from 0.0 to 1.0, but received None."),
        ({"kind": "c"}, "kind_of_it must be one of a, b, but received 'c'."),
    ],
)
def test_a_section_refuses_values_that_are_not_allowed(changes, message):
    with pytest.raises(InvalidOption) as refused:
        Inner(**changes)
    assert str(refused.value).startswith(message)


def test_a_stored_section_takes_what_was_true_before_an_option_existed():
    assert built(Outer, {"folder": "x"}, inner=Inner()).added == "old"
    with pytest.raises(KeyError, match="rate"):
        built(Inner, {"sizes": [1], "kind_of_it": None})


def test_paths_may_begin_with_the_home_folder(monkeypatch):
    monkeypatch.setenv("HOME", "/here")
    assert built(Outer, {"folder": "~/x"}, inner=Inner()).folder == "/here/x"
