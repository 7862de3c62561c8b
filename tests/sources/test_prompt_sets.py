"""Sets of prompts: read, averaged as a plain loop does, named, refused."""

import hashlib

import numpy as np
import pytest
from tests.sources.test_passages import Letters, count
from tests.sources.test_prompts import words

from eatlas.sources import Item
from eatlas.sources.prompts import PromptSet, add_prompt
from eatlas.sources.source import Found

THREE = ("This is {}", "The {} is here", "{}")
FIT = 1e-15
"""Room for the rounding of a mean of a few vectors."""


def letters(text, word):
    """The vector of a word in a text, by the counting encoder."""
    return count(word) + count(text) / 2


def mean_by_loop(word, prompts):
    total = np.zeros(26)
    for prompt in prompts:
        vector = letters(prompt.replace("{}", word), word)
        total += vector / np.sqrt(sum(v * v for v in vector))
    return total / len(prompts)


def test_a_word_is_the_mean_of_its_unit_vectors():
    source = add_prompt(Letters(), PromptSet(THREE))
    found = source.encode(words("aster", "ivy", "wasp"))
    assert set(found) == set(words("aster", "ivy", "wasp"))
    for item, vector in found.items():
        assert vector == pytest.approx(mean_by_loop(item.content, THREE), abs=FIT)


def test_what_is_known_of_the_source():
    source = add_prompt(Letters(), PromptSet(("a {}", "the {}")))
    assert source.name == "letters?prompts=a {}|the {}"
    digest = hashlib.sha256(b"a {}\nthe {}").hexdigest()
    assert source.fingerprint == f"letters:1;prompts=sha256:{digest}"
    assert source.encoding.prompt == "mean of a {} | the {}"
    assert (source.dim, source.kinds) == (26, frozenset(("text",)))
    other = add_prompt(Letters(), PromptSet(("the {}", "a {}")))
    assert other.fingerprint != source.fingerprint


def test_a_file_of_prompts(tmp_path):
    path = tmp_path / "prompts.txt"
    path.write_text(
        "\ufeff# for photos\na photo of {}\n\n  the {}.  \nan image of {}\nA {}\n", "utf-8"
    )
    found = PromptSet.read(str(path))
    assert found.prompts == ("a photo of {}", "the {}.", "an image of {}", "A {}")
    assert found.description == f"mean of 4 prompts of prompts.txt (sha256 {found.sha256[:12]})"
    assert add_prompt(Letters(), found).name.endswith("?prompts=" + str(path))


class Pictures(Letters):
    """Encodes texts by letters and images by the length of their names; one has no vector."""

    kinds = frozenset(("text", "image"))

    def vectors(self, items):
        for item in items:
            if item.kind == "image":
                yield {item: Found(np.full(26, float(len(item.content))))}
            elif item.content == "a wasp":
                yield {item: Found(None, "too long", cut=True)}
            else:
                yield from super().vectors([item])


def test_images_are_put_into_no_prompt_and_a_word_needs_a_vector_in_all():
    image = Item("aster.png", None, "image")
    found = add_prompt(Pictures(), PromptSet(("a {}", "the {}"))).answers(
        [image, *words("aster", "wasp")]
    )
    assert found[image].vector.tolist() == [9.0] * 26
    (aster, wasp) = (found[item] for item in words("aster", "wasp"))
    assert aster.vector == pytest.approx(mean_by_loop("aster", ("a {}", "the {}")), abs=FIT)
    assert (wasp.vector, wasp.reason, wasp.cut) == (None, "too long", True)
