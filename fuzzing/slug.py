"""Name a sentence by its first words, without what it quotes: the same refusal has the same name."""

import re

_WORDS, _LONG = 6, 15
_NOT_OURS = re.compile(r"(?<!\w)'[^']*'|\"[^\"]*\"|\([^)]*\)|/t[.\w]*")  # /t is where a target lays its file


def slug(sentence: str) -> str:
    """Give the first words that are ours, in small letters."""
    ours = re.findall("[a-z]+", _NOT_OURS.sub(" ", sentence.lower()))
    return "_".join([word for word in ours if len(word) < _LONG][:_WORDS])
