import gzip
import os
import pickle

import numpy as np
import pytest

from data_builders.mnist_r.array_pickle import load_arrays
from tffs.errors import UserError


def written(tmp_path, content):
    path = tmp_path / "file.pkl.gz"
    path.write_bytes(gzip.compress(content))
    return str(path)


@pytest.mark.parametrize("protocol", [3, 4])
def test_lists_and_tuples_of_arrays_are_read(tmp_path, protocol):
    pairs = [(np.arange(6.0).reshape(2, 3), np.arange(2)), (np.zeros((1, 3), np.float32), np.ones(1, np.int64))]
    loaded = load_arrays(written(tmp_path, pickle.dumps(pairs, protocol=protocol)))
    for (x, y), (read_x, read_y) in zip(pairs, loaded, strict=True):
        np.testing.assert_array_equal(x, read_x)
        np.testing.assert_array_equal(y, read_y)


class Malicious:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (self.path,)


class Importing:
    def __reduce__(self):
        return eval, ("__import__('os').mkdir('owned')",)


def test_a_malicious_pickle_is_refused_without_running(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for payload in (Malicious(str(tmp_path / "owned")), Importing(), [np.zeros(2), Importing()]):
        with pytest.raises(UserError, match="refused \\(it asks for .*; nothing in it was run"):
            load_arrays(written(tmp_path, pickle.dumps(payload)))
        assert not (tmp_path / "owned").exists()


def test_numpys_own_ways_to_run_code_are_refused(tmp_path):
    for name in (b"numpy\nload\n", b"numpy.core.multiarray\nscalar\n", b"numpy.f2py\ncompile\n"):
        with pytest.raises(UserError, match="it asks for numpy"):
            load_arrays(written(tmp_path, b"c" + name + b"."))


@pytest.mark.parametrize("content", [b"", b"nonsense", pickle.dumps([1, 2, 3])[:-3]])
def test_a_damaged_pickle_gets_one_sentence(tmp_path, content):
    with pytest.raises(UserError, match="must be a gzipped pickle of arrays"):
        load_arrays(written(tmp_path, content))
    (tmp_path / "plain").write_bytes(content)
    with pytest.raises(UserError, match="must be a gzipped pickle of arrays"):
        load_arrays(str(tmp_path / "plain"))
