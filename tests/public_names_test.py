"""What `import tffs` offers."""

import subprocess
import sys

import tffs


def test_dir_lists_every_public_name():
    assert set(tffs.__all__) <= set(dir(tffs))


def test_every_public_name_is_there_and_documented():
    for name in tffs.__all__:
        thing = getattr(tffs, name)
        assert name == "__version__" or thing.__doc__, name


def test_listing_the_names_does_not_import_tensorflow():
    program = "import sys, tffs; assert 'FewShotSelector' in dir(tffs); assert 'tensorflow' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
