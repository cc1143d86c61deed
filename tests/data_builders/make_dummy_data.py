"""Write the builders' dummy data, random numbers: python -m tests.data_builders.make_dummy_data."""

import gzip
import pathlib
import pickle

import numpy as np
import scipy.io

import data_builders

ROWS = 3
HERE = pathlib.Path(data_builders.__file__).parent


def write() -> None:
    rng = np.random.default_rng(0)

    def rows(width: int) -> np.ndarray:
        return np.round(rng.random((ROWS, width)), 1)

    folder = {name: HERE / name / "dummy_data" for name in ("mnist_r", "isolet", "amazon_reviews", "vlcs")}
    for path in folder.values():
        path.mkdir(exist_ok=True)
    pairs = [(rows(256), np.arange(ROWS)) for _ in range(6)]
    with open(folder["mnist_r"] / "MNIST_6rot.pkl.gz", "wb") as file:
        file.write(gzip.compress(pickle.dumps(pairs, protocol=4), mtime=0))
    labels = np.arange(1, ROWS + 1, dtype=np.uint8)[:, None]
    for name in ("Isolet1", "Isolet2", "Isolet3", "Isolet4", "isolet5"):
        _save(folder["isolet"] / f"{name}.mat", fea=2 * rows(617) - 1, gnd=labels)
    for name in ("books", "dvd", "elec", "kitchen"):
        _save(folder["amazon_reviews"] / f"{name}_400.mat", fts=rows(400), labels=labels - 1)
    for name in ("VOC2007", "labelme"):
        _save(folder["vlcs"] / f"{name}.mat", data=np.concatenate([rows(4096), labels], axis=1))
    for name in ("Caltech101", "sun09"):
        _save(folder["vlcs"] / f"{name}.mat", fts=rows(4096), labels=labels)


def _save(path: pathlib.Path, **arrays: np.ndarray) -> None:
    scipy.io.savemat(path, arrays, do_compression=True)
    with open(path, "r+b") as file:  # the header holds the date
        file.write(b"MATLAB 5.0 MAT-file, dummy data of tffs".ljust(116))


if __name__ == "__main__":
    write()
