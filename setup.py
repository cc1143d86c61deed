"""Packaging of tffs: `pip install .` installs the library, its builders and its flag files."""

import pathlib
import re

from setuptools import find_packages, setup

HERE = pathlib.Path(__file__).parent
VERSION = re.search(
    r'^__version__ = "(.+)"', (HERE / "tffs" / "__init__.py").read_text(encoding="utf-8"), re.MULTILINE
).group(1)

PACKAGES = ["tffs", "data_builders", "pipelines"]
SERVING = ["aiohttp>=3.12", "grpcio-health-checking>=1.70"]
# What benchmarks.peers_quality compares with. The Makefile adds scikit-matter, without its dependencies.
PEERS = ["python-sensors>=0.4", "fastcan>=0.6"]
FUZZER = "atheris>=3.0"
DOCS = ["sphinx>=9.0", "myst-nb>=1.4", "furo>=2025.12"]

setup(
    name="tffs",
    version=VERSION,
    description="Few-shot unsupervised feature selection on TensorFlow",
    long_description=(HERE / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    python_requires=">=3.11",
    packages=find_packages(include=[f"{name}{end}" for name in PACKAGES for end in ("", ".*")]),
    package_data={
        "tffs": [
            *("flagfiles/*.flags", "search_spaces/*.toml", "py.typed"),
            *("web/*.css", "report/*.js", "report/*.css", "report/templates/*"),
            *(f"serving/server/page/{kind}" for kind in ("*.css", "*.js", "templates/*")),
        ],
        "data_builders": ["*/README.md", "*/CITATIONS.bib", "*/TAGS.txt", "*/checksums.tsv"],
    },
    install_requires=[
        "absl-py>=1.4",
        "tensorflow>=2.21",
        "keras>=3.10",
        "tensorflow-datasets>=4.9.10",
        "tensorflow-serving-api>=2.19.1",
        "grpcio>=1.70",
        # TFDS builders and keras-tuner import these two without declaring them.
        "importlib_resources",
        "tensorboard",
        "keras-tuner>=1.4.8",
        "numpy>=2.0",
        "scipy>=1.13",
        "pandas>=2.2",
        "pyarrow>=18",
        "requests>=2.32",
        "urllib3>=2.2",
        "scikit-learn>=1.5.2",
        "threadpoolctl>=3.1",
        "skfeature-chappers>=1.2",
        "matplotlib>=3.9",
        "jinja2>=3.1",
    ],
    extras_require={
        # The embedded server (--mode=serve); clients and exports need none of it.
        "serving": SERVING,
        "test": [
            *("pytest>=8", "pytest-xdist>=3.6", "ruff>=0.15", "mypy>=1.18", "dill", "hypothesis>=6.150"),
            *("nbclient>=0.11", "ipykernel>=7.4", "selenium>=4.50"),
            *DOCS,
            *PEERS,
            *SERVING,
            FUZZER,
        ],
        "docs": DOCS,
        "fuzz": [FUZZER, *SERVING],
        # Preparing a table with many machines (--beam_options); it wants older protobuf, pyarrow and Pillow
        # than constraints.txt has, so it goes into an environment of its own.
        "beam": ["apache-beam>=2.77"],
        "bench": ["torch>=2.13", "jax>=0.10", "jaxlib>=0.10", *PEERS, *SERVING],
        # The pipeline; where the C library is older than 2.39, see constraints-tfx.txt.
        "tfx": ["tfx==1.21.0", "kfp-pipeline-spec<2.17"],
        "gpu": ["tensorflow[and-cuda]>=2.21"],
    },
)
