import pytest

from tffs.data.costs_file import read_costs
from tffs.errors import UserError


@pytest.fixture
def read(tmp_path):
    def write_and_read(content):
        (tmp_path / "costs.csv").write_text(content, encoding="utf-8")
        return read_costs(str(tmp_path / "costs.csv"))

    return write_and_read


@pytest.mark.parametrize(
    "content",
    [
        'feature,cost\n"x,y",2.5\nPPE,0\n',
        '"x,y",2.5\nPPE,0\n',
        "name;price\nx,y;2,5\nPPE;0\n",
        "PPE;0\nx,y;2,5\n",
    ],
)
def test_the_first_line_may_name_the_columns(read, content):
    assert read(content) == {"x,y": 2.5, "PPE": 0.0}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "first line names the columns, but that line is empty"),
        ("feature,cost\n", "has no lines"),
        ("PPE\n", "must have two columns, feature and cost, but its first line has 1"),
        ("a,1\nb,cheap\n", "must hold numbers as costs, but 'cheap' is none"),
        ("a,1\nb,\n", "has no cost for 'b'"),
        ("a,1\nb,-2\n", "must hold costs that are finite and not negative, but 'b' costs -2"),
        ("a,1\nb,inf\n", "must hold costs that are finite and not negative, but 'b' costs inf"),
        ("a,1\na,2\n", "names 'a' more than once"),
        ("a,1\nb,2,3\n", "do not have 2 values as the first line has"),
    ],
)
def test_a_bad_file_is_one_sentence(read, content, message):
    with pytest.raises(UserError, match=message):
        read(content)


def test_a_file_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(UserError, match="is not there: give the path of a CSV of feature and cost"):
        read_costs(str(tmp_path / "none.csv"))
