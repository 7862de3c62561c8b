"""A probe that is trained on labels of people."""

from dataclasses import replace

import pytest
from tests.measures.test_divdist_of_corpora import jobs  # noqa: F401

import eatlas
from eatlas.errors import CoverageError, StimulusError


def test_a_probe_is_trained_on_labels_of_people_where_there_are_some(jobs, tmp_path):  # noqa: F811
    test, contexts, _ = jobs
    items = eatlas.sample_items(contexts, test, per_target=60)
    words = {"she": "Female", "her": "Female", "woman": "Female", "mother": "Female"}
    words |= {"he": "Male", "his": "Male", "man": "Male", "father": "Male"}
    labels = {
        one.id: next((words[word] for word in one.text.split() if word in words), "none")
        for one in items
    }
    found = eatlas.read_labels(items, {"Anna": labels}).adjudicated()
    path = tmp_path / "labelled.parquet"
    found.labelled(contexts).write(path)
    measure = "divdist(soa=probe,resamples=20)"
    (result,) = eatlas.run(test, "cbow:glove-sample", measure, contexts=path)
    (by_words,) = eatlas.run(test, "cbow:glove-sample", measure, contexts=contexts)
    probe = result.probe
    assert (probe.labels, by_words.probe.labels) == ("people", "words")
    assert sum(probe.contexts.values()) == len(labels) == 120
    every = result.coverage["targets"].contexts
    assert probe.unlabelled == sum(every.values()) - 120 > 0
    assert probe.accuracy > 0.85
    for one, other in zip(result.targets, by_words.targets, strict=True):
        assert sum(one.association) <= every[one.term]
        assert one.signed == pytest.approx(other.signed, abs=0.1)
    assert "unlabelled" not in by_words.to_dict()["probe"]
    assert eatlas.verify([result], contexts=[path])[0].status == "same"
    (without,) = eatlas.verify([result], contexts=[contexts])
    assert without.status != "same"
    turned = {
        item: {"Female": "Male", "Male": "Female"}.get(one, one) for item, one in labels.items()
    }
    other_way = eatlas.read_labels(items, {"Anna": turned}).adjudicated().labelled(contexts)
    (result,) = eatlas.run(test, "cbow:glove-sample", measure, contexts=other_way)
    assert [one.signed > 0 for one in result.targets] == [False, True]
    odd = replace(other_way, labels=dict.fromkeys(other_way.labels, "Women"))
    with pytest.raises(StimulusError, match="labels of the contexts are not groups of the test"):
        eatlas.run(test, "cbow:glove-sample", measure, contexts=odd)
    some = dict(list(other_way.labels.items())[:12])
    with pytest.raises(CoverageError, match="too few contexts of a kind(.|\n)*label more contexts"):
        eatlas.run(test, "cbow:glove-sample", measure, contexts=replace(other_way, labels=some))
