"""Terms with wildcards and contexts of a corpus."""

import pytest
from tests.inputs import make_test
from tests.sources.test_wildcards import WORDS, source_of

import eatlas
from eatlas.errors import StimulusError
from eatlas.sources import embed
from eatlas.stimuli.sentences import sentence_tests


def test_a_run_takes_words_and_the_error_names_the_way(tmp_path):
    test = make_test(X=("nurs*", "lily"))
    text = tmp_path / "text.txt"
    text.write_text("A nurse.")
    calls = {
        "a run": lambda: eatlas.run(tests=test),
        "a measure": lambda: eatlas.MLEAT()(test, "glove-sample"),
        "contexts": lambda: eatlas.find_contexts(text, test),
        "sentences": lambda: sentence_tests([test], classes="thing"),
        "power": lambda: eatlas.power(test),
        "a look-up": lambda: embed(test, source_of(WORDS)),
    }
    for call in calls.values():
        with pytest.raises(StimulusError, match=r"'nurs\*' is a wildcard, not a word") as error:
            call()
        assert "eatlas tests expand FILE SOURCE" in error.value.remedy
