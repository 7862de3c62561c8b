"""Texts in other languages: that of the tests, and scripts that write no spaces between words."""

import warnings

import pytest

import eatlas
from eatlas import AssociationTest, GroupsTest
from eatlas.errors import StimulusError, StimulusWarning, UndefinedWarning

GERMAN = AssociationTest(id="de", language="de", X=["Rose"], Y=["Floh"], A=["Liebe"], B=["l'ennui"])
CHINESE = AssociationTest(id="zh", language="zh", X=["玫瑰"], Y=["跳蚤"], A=["爱"], B=["战争"])


@pytest.fixture
def write(tmp_path):
    def written(text):
        path = tmp_path / "text.txt"
        path.write_text(text, encoding="utf-8")
        return path

    return written


def test_sentences_end_as_in_the_language_of_the_tests(write):
    text = "Am 3. Mai kam Dr. Weiß, z. B. die Rose. Ein Floh kam. L’ennui! Die Liebe."
    contexts = eatlas.find_contexts(write(text), GERMAN, window="sentence")
    assert contexts.provenance["language"] == "de"
    assert [contexts.of_stimulus(term)[0].text for term in ("Rose", "Floh", "l'ennui")] == [
        "Am 3. Mai kam Dr. Weiß, z. B. die Rose.", "Ein Floh kam.", "L’ennui!",
    ]  # fmt: skip


def test_texts_are_in_one_language(write):
    with pytest.raises(StimulusError, match="in several languages") as raised:
        eatlas.find_contexts(write("Rose"), [GERMAN, CHINESE])
    assert "got: de, zh" in str(raised.value)
    with pytest.raises(StimulusError, match="got: none named, de"):
        eatlas.find_contexts(write("Rose"), ["weat-6", GERMAN])


def test_a_script_without_spaces_has_to_be_parted_into_words(write):
    with pytest.warns(StimulusWarning, match="without spaces between words: 玫瑰, 跳蚤"):
        eatlas.find_contexts(write("我爱玫瑰。战争来了。"), CHINESE)
    groups = GroupsTest(targets=["玫瑰"], groups={"A": ["爱"], "B": ["战争"]}, language="zh")
    with pytest.warns(StimulusWarning, match="jieba"), pytest.warns(UndefinedWarning):
        eatlas.count_text(write("我爱玫瑰。战争来了。"), groups)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        contexts = eatlas.find_contexts(
            write("我 爱 玫瑰 。 战争 来 了 。 跳蚤 。"), CHINESE, window="sentence"
        )
        counts = eatlas.count_text(write("我 爱 玫瑰 。 战争 来 了 。"), groups, span=1)
    assert contexts.of_stimulus("玫瑰")[0].text == "我 爱 玫瑰 。"
    assert dict(counts.counts("玫瑰")) == {"a": 1, "b": 0}
