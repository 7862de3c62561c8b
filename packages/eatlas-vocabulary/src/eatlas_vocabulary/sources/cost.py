"""What a transform costs: how well similarities and analogies work before and after it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eatlas.decoding import decode_utf8, require_file
from eatlas.errors import SourceError
from eatlas.paths import is_file
from eatlas.results.parts import finite
from eatlas.sources.coverage import spellings
from eatlas.sources.opening import VectorsLike, open_vectors
from eatlas.sources.source import Source, rows_of
from eatlas.sources.transforms import TransformedSource
from eatlas.stats.correlation import sign_test
from eatlas.version import __version__
from eatlas_vocabulary.results.residual import Accuracy, AnalogyCost, SimilarityCost, TransformCost
from eatlas_vocabulary.sources.debiasing import require_transformed
from eatlas_vocabulary.stats.debiasing import unit_or_zero
from eatlas_vocabulary.stats.rank_change import rank_correlation_change

Array = NDArray[np.float64]
Places = NDArray[np.intp]

OF_GENSIM = {
    "wordsim353": "wordsim353.tsv",
    "simlex999": "simlex999.txt",
    "google-analogies": "questions-words.txt",
}
"""Published sets that come with gensim, and their files."""
ALLOWED = f"{', '.join(OF_GENSIM)}, or a file of pairs with scores, or of analogies"
ANSWERS = 30_000
"""Words, first in the source, that can be answers: word2vec's own evaluation of these analogies."""
EPSILON = 0.001
"""Of 3CosMul: Levy and Goldberg (2014)."""
_NUMBER = re.compile(r"-?\d+(\.\d*)?")
BLOCK = 256
"""Questions that are answered at once."""
DECIMALS = 6


class WordSet(NamedTuple):
    """Pairs of words with scores of people, or analogies with their categories."""

    name: str
    sha256: str
    rows: list[tuple[str, ...]]
    """Two words, or four."""
    scores: list[float]
    categories: list[str]


def word_set(name: str) -> WordSet:
    """Read a set by its name or its file.

    A line has two words and a score, maybe after other columns; or four words, and categories stand
    in lines that begin with a colon. Columns are divided by tabs, commas or blanks; a first line
    without a number is a head, and lines that begin with # are left out.
    """
    path = _path_of(name)
    require_file(path, SourceError)
    data = path.read_bytes()
    content: list[tuple[int, list[str], str]] = []
    category = ""
    for i, line in enumerate(decode_utf8(data, name, SourceError).splitlines(), 1):
        if line.startswith(":"):
            category = line[1:].strip()
        elif line.strip() and not line.startswith("#"):
            by = "\t" if "\t" in line else "," if "," in line else None
            content.append((i, [cell.strip() for cell in line.split(by)], category))
    scores = [next(filter(_NUMBER.fullmatch, cells[2:]), None) for _, cells, _ in content]
    are_pairs = any(scores)
    if are_pairs and scores[0] is None:
        del content[0], scores[0]  # the head
    for (i, cells, _), score in zip(content, scores, strict=True):
        if score is None and (are_pairs or len(cells) != 4):
            allowed = "two words and a score in each line, or four words in each"
            raise SourceError(
                f"{name}, line {i}: neither of these", got=" ".join(cells)[:60], allowed=allowed
            )
    if not content:
        raise SourceError(f"{name}: not a set of pairs or analogies", allowed=ALLOWED)
    return WordSet(
        name=Path(name).name,
        sha256=hashlib.sha256(data).hexdigest(),
        rows=[tuple(cells[: 2 if are_pairs else 4]) for _, cells, _ in content],
        scores=[float(score) for score in scores if score is not None],
        categories=[category for *_, category in content],
    )


def _path_of(name: str) -> Path:
    if is_file(name):
        return Path(name)
    if name not in OF_GENSIM:
        raise SourceError(f"there is no set called {name!r}", allowed=ALLOWED)
    spec = find_spec("gensim")
    if spec is None or spec.origin is None:
        remedy = "pip install 'eatlas[gensim]', or name a file"
        raise SourceError(f"{name} comes with gensim, which is not installed", remedy=remedy)
    return Path(spec.origin).parent / "test" / "test_data" / OF_GENSIM[name]


def transform_cost(
    source: VectorsLike, sets: str | Iterable[str] = tuple(OF_GENSIM)
) -> TransformCost:
    """Measure what a transform costs: similarities and analogies before and after it.

    Parameters
    ----------
    source : anything that :func:`eatlas.open_vectors` opens
        With a transform, such as ``"glove-sample?transform=hard-debias:gender"``; it is compared
        with the same source without any.
    sets : str or several
        ``wordsim353``, ``simlex999`` and ``google-analogies``, which come with gensim, or files: of
        two words and a score a line, or of four words under lines ``: category``.

    Returns
    -------
    TransformCost
        For pairs with scores of people Spearman's rho; for analogies the proportion of right
        answers.

    Raises
    ------
    SourceError
        If the source has no transform, or a set cannot be read.

    Notes
    -----
    Pairs whose words both have a vector are counted, before and after alike; the case rule is
    ``auto``. The interval is of the difference of the two rho over resamples of pairs.

    Answers of an analogy are sought among the first 30,000 words of the source, letter case
    ignored, without the three words of the question. 3CosAdd takes the word whose cosines with b
    and c, less that with a, are largest; 3CosMul the largest ratio of these cosines, each shifted
    to 0 to 1 (Levy and Goldberg 2014). p is McNemar's: questions share words and are not
    independent, so it is smaller than they warrant.

    Examples
    --------
    >>> import eatlas
    >>> cost = eatlas.transform_cost("glove-sample?transform=hard-debias:gender", "wordsim353")
    >>> cost.similarity[0].pairs, round(cost.similarity[0].before, 2)
    (282, 0.56)
    """
    after = require_transformed(open_vectors(source), "cost anything")
    several = [word_set(name) for name in ([sets] if isinstance(sets, str) else sets)]
    similarity, analogies = [], []
    answers: tuple[Mapping[str, int], Array, Array] | None = None
    for each in several:
        if each.scores:
            similarity.append(_similarity(each, after))
        else:
            answers = answers or _answers(after)
            analogies.append(_analogies(each, *answers))
    return TransformCost(
        source=after.name,
        source_fingerprint=after.fingerprint,
        before=after.original.name,
        version=__version__,
        words=len(answers[0]) if answers else 0,
        similarity=tuple(similarity),
        analogies=tuple(analogies),
    )


def _unit_of(source: Source, words: Iterable[str]) -> dict[str, Array]:
    """Unit vectors of words by their first spelling that has one; zeros are left out."""
    forms = {word: spellings(word, "auto") for word in words}
    vectors = source.lookup([form for several in forms.values() for form in several])
    usable = {form: np.asarray(v, np.float64) for form, v in vectors.items() if np.any(v)}
    first = {word: next(filter(usable.__contains__, forms[word]), None) for word in forms}
    return {w: unit_or_zero(usable[form][None])[0] for w, form in first.items() if form}


def _similarity(pairs: WordSet, after: TransformedSource) -> SimilarityCost:
    """Rho of cosines and scores, of the pairs that have vectors before and after."""
    words = {word for row in pairs.rows for word in row}
    spaces = [_unit_of(source, words) for source in (after.original, after)]
    covered = [
        (row, score)
        for row, score in zip(pairs.rows, pairs.scores, strict=True)
        if all(word in space for word in row for space in spaces)
    ]
    cosines = [[float(space[a] @ space[b]) for (a, b), _ in covered] for space in spaces]
    rng = np.random.default_rng((0, 2))
    scores = [score for _, score in covered]
    before, later, interval = rank_correlation_change(scores, *cosines, rng=rng)
    return SimilarityCost(
        name=pairs.name,
        sha256=pairs.sha256,
        pairs=len(covered),
        of=len(pairs.rows),
        before=finite(before, DECIMALS),
        after=finite(later, DECIMALS),
        interval=interval and (round(interval[0], DECIMALS), round(interval[1], DECIMALS)),
    )


def _answers(after: TransformedSource) -> tuple[Mapping[str, int], Array, Array]:
    """Places of the first words by lower case, and their unit vectors before and after."""
    keys: dict[str, str] = {}
    rows: list[Array] = []
    for words, vectors in rows_of(after.original):
        for word, vector in zip(words, vectors, strict=True):
            if len(rows) < ANSWERS and word.lower() not in keys and vector.any():
                keys[word.lower()] = word
                rows.append(vector)
        if len(rows) == ANSWERS:
            break
    vectors_after, zeros = after.lookup([*keys.values()]), np.zeros(after.dim)
    later = np.stack([vectors_after.get(word, zeros) for word in keys.values()])
    places = {word: i for i, word in enumerate(keys)}
    return places, unit_or_zero(np.stack(rows)), unit_or_zero(later.astype(np.float64))


def _analogies(
    questions: WordSet, places: Mapping[str, int], before: Array, after: Array
) -> AnalogyCost:
    """Accuracies of all questions that can be asked, and of each category."""
    lower = [tuple(map(str.lower, row)) for row in questions.rows]
    usable = [i for i, row in enumerate(lower) if all(word in places for word in row)]
    numbers = np.array([[places[word] for word in lower[i]] for i in usable], np.intp)
    category = np.array([questions.categories[i] for i in usable], object)
    right = np.zeros((2, 2, len(usable)), bool)  # before and after, by 3CosAdd and 3CosMul
    for name in dict.fromkeys(category):
        of_it = np.flatnonzero(category == name)
        for space, rows in enumerate((before, after)):
            right[space][:, of_it] = _score_analogies(numbers[of_it], rows)
    add, mul = right[:, 0], right[:, 1]
    return AnalogyCost(
        name=questions.name,
        sha256=questions.sha256,
        of=len(questions.rows),
        add=_accuracy(*add),
        mul=_accuracy(*mul),
        categories={
            name: _accuracy(*add[:, category == name]) for name in dict.fromkeys(category) if name
        },
    )


def _score_analogies(questions: Places, rows: Array) -> NDArray[np.bool_]:
    """Whether each question is answered rightly by 3CosAdd and by 3CosMul, shape (2, n)."""
    words, at = np.unique(questions[:, :3], return_inverse=True)
    cosines, at = rows[words] @ rows.T, at.reshape(-1, 3)
    right = np.zeros((2, len(questions)), bool)
    for start in range(0, len(questions), BLOCK):
        part = slice(start, start + BLOCK)
        a, b, c = (cosines[column] for column in at[part].T)
        products = (b + 1) * (c + 1) / (a + 1 + 2 * EPSILON)
        for method, scores in enumerate((b - a + c, products)):
            np.put_along_axis(scores, questions[part, :3], -np.inf, axis=1)
            right[method, part] = scores.argmax(axis=1) == questions[part, 3]
    return right


def _accuracy(before: NDArray[np.bool_], after: NDArray[np.bool_]) -> Accuracy:
    n, lost, gained = len(before), int((before & ~after).sum()), int((after & ~before).sum())
    shares = [round(float(right.mean()), DECIMALS) if n else None for right in (before, after)]
    return Accuracy(
        questions=n, before=shares[0], after=shares[1], lost=lost, gained=gained,
        p=sign_test(gained, lost).two_sided.p,
    )  # fmt: skip
