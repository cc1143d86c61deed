"""What `import tffs` offers."""

import tffs


def test_dir_lists_the_public_names_and_nothing_else():
    assert dir(tffs) == sorted(tffs.__all__)
