"""Every command and every Python block of README.md and docs/ runs, or says why it does not."""

import json
import re
import shlex

import pytest

from docs.making.blocks import NOTES, ROOT, RUN, blocks, commands, excerpt, pages
from docs.making.comparison import comparison
from docs.making.outputs import MARKED, with_outputs
from docs.making.workspace import FEATURES, MODEL, PROGRAM, Workspace
from tffs.flags import parse

PAGES = pages()
RUN_HERE = [page for page in PAGES if any(block.language in RUN and not block.note for block in blocks(page))]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    with Workspace(tmp_path_factory.mktemp("examples")) as made:
        made.run("README.md")  # leaves the run that other pages ask
        yield made


@pytest.mark.parametrize("page", RUN_HERE)
def test_the_examples_of_a_page_run(page, workspace):
    """The sentences and titles that a page shows of an output are those that the example prints now."""
    printed = workspace.run(page)
    last = ""
    for block in blocks(page):
        last = printed.get(block.line, last if block.note == "output" else "")
        if block.note == "output" and last:
            now = {words(line) for line in last.splitlines()}
            assert [
                line for line in block.text.splitlines() if is_sentence(line) and words(line) not in now
            ] == []


def words(line):
    return " ".join(line.split())


def is_sentence(line):
    """Tell whether a line is the same for every table: it has no figure and no feature in it."""
    return (
        bool(re.search("[a-z]{3}", line))
        and not re.search(r"\d", line)
        and not any(x in line for x in FEATURES)
    )


@pytest.mark.parametrize("page", PAGES)
def test_every_block_is_run_or_says_why_not(page):
    last = None
    for block in blocks(page):
        assert block.note in ("", *NOTES), f"{block.name}: what is {block.note!r}?"
        assert block.about or block.note in ("", "output"), f"{block.name} gives no reason"
        if block.language == "text":
            assert block.note in ("output", "not output"), f"{block.name}: no command makes it"
            assert block.note == "not output" or (last.language in RUN and last.note in ("", "slow", "output"))
        elif block.note == "tested by":
            assert (ROOT / block.about.split("::")[0]).is_file(), f"{block.name}: there is no {block.about}"
        last = block if block.note != "output" else last


@pytest.mark.parametrize("page", PAGES)
def test_commands_that_another_test_stands_for_have_right_flags(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for block in blocks(page):
        for command in commands(block) if block.note in ("tested by", "slow") else ():
            _, program, flags = command.partition(PROGRAM)
            if program and "--help" not in flags:
                parse(["tffs", *shlex.split(flags)])


@pytest.mark.parametrize("page", PAGES)
def test_every_block_has_a_language(page):
    """A block that is only indented, or has no language, would be run by nobody."""
    content = (ROOT / page).read_text(encoding="utf-8")
    outside = re.sub(r"^```[\w{].*?^```$", "", content, flags=re.MULTILINE | re.DOTALL)
    assert "```" not in outside
    assert re.search(r"(?<=\n\n)    (?! )\S.*", outside) is None


def test_the_reference_names_every_file_of_a_run_and_every_key_of_its_result(workspace):
    page = (ROOT / "docs" / "reference" / "workdir.md").read_text(encoding="utf-8")
    run = workspace.folder / MODEL
    names = [path.name for path in run.iterdir() if not path.name.startswith(".")]
    keys = json.loads((run / "result.json").read_text(encoding="utf-8"))
    assert [name for name in (*names, *keys) if f"`{name}" not in page] == []


def test_the_comparison_is_that_of_the_results():
    content = (ROOT / "README.md").read_text(encoding="utf-8")
    assert MARKED.search(content)[0].strip() == comparison()


def test_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


def test_commands_are_read_as_a_shell_does(tmp_path, monkeypatch):
    page = "<!-- slow: hours -->\n\n```sh\nmake demo  # installs\n\npython -m x --a=1 \\\n    --b='#c'\n```\n"
    (tmp_path / "page.md").write_text(page, encoding="utf-8")
    monkeypatch.setattr("docs.making.blocks.ROOT", tmp_path)
    (block,) = blocks("page.md")
    assert (block.language, block.note, block.about, block.line) == ("sh", "slow", "hours", 4)
    assert commands(block) == ["make demo", "python -m x --a=1 --b='#c'"]


def test_outputs_go_below_the_blocks_that_print_them(tmp_path, monkeypatch):
    page = "```sh\na\n```\n\n<!-- output -->\n\n```text\nold\n```\n\nThe first line of it:\n\n{}```\nend\n"
    page = page.format("<!-- output: 1 -->\n\n```text\n")
    (tmp_path / "page.md").write_text(page, encoding="utf-8")
    for module in ("blocks", "outputs"):
        monkeypatch.setattr(f"docs.making.{module}.ROOT", tmp_path)
    made = page.replace("old\n", "1\n2\n").replace("1 -->\n\n```text\n", "1 -->\n\n```text\n1\n")
    assert with_outputs("page.md", {2: "1\n2\n"}) == made
    with pytest.raises(ValueError, match="page.md:8 shows an output, but the block before it is not run"):
        with_outputs("page.md", {})


def test_an_excerpt_has_dots_for_what_is_left_out():
    assert excerpt("\n1\n2\n3\n4\n5\n", "1-2 4-") == "1\n2\n...\n4\n5\n"
    assert excerpt("1\n2\n", "2") == "2\n"
    assert excerpt("1\n2\n", "") == "1\n2\n"
