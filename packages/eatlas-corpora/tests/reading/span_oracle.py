"""Counts of associations by plain loops and regular expressions; nothing of eatlas is in it."""

import re
from collections import Counter

SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])|\n\s*\n\s*")
"""Where sentences part in texts without abbreviations, initials and quotation marks."""


def spellings(word):
    """A word in lower case is found with a capital and in capitals too; others as written."""
    return {word, word.capitalize(), word.upper()} if word == word.lower() else {word}


def occurs(words, text):
    every = {one for word in words for one in spellings(word)}
    return bool(re.search(rf"(?<!\w)(?:{'|'.join(map(re.escape, every))})(?!\w)", text))


def spans_of(document, size):
    sentences = [one for one in SENTENCE.split(document.strip()) if one.strip()]
    starts = range(0, len(sentences), size)
    return len(sentences), [" ".join(sentences[k : k + size]) for k in starts]


def count(documents, targets, families, size=3):
    """Outcomes by (target, family, outcome), and the four totals."""
    found, totals = Counter(), Counter()
    for document in documents:
        sentences, spans = spans_of(document, size)
        totals["documents"] += bool(document.split())
        totals["sentences"] += sentences
        totals["spans"] += len(spans)
        totals["tokens"] += len(document.split())
        for span in spans:
            for number, family in enumerate(families):
                present = [name for name, words in family.items() if occurs(words, span)]
                outcome = present[0] if len(present) == 1 else "several" if present else "none"
                for target in targets:
                    if occurs([target], span):
                        found[target, number, outcome] += 1
    return found, totals


def matched(words, stimuli):
    """Stimuli of one or two words, the longest first: the first and the last word, and which."""
    i = 0
    while i < len(words):
        n = 2 if " ".join(words[i : i + 2]) in stimuli and i + 1 < len(words) else 1
        if (term := " ".join(words[i : i + n])) in stimuli:
            yield i, i + n - 1, term
        i += n


def pairs(documents, targets, family, window):
    """Pairs of words at most so far apart by (term, group), and with any word; and all words."""
    found, stimuli = Counter(), {*targets, *(word for words in family.values() for word in words)}
    for document in documents:
        words = document.split()
        every = [*matched(words, stimuli)]
        for k in range(len(words)):
            found["(all)", "near"] += min(window, k) + min(window, len(words) - 1 - k)
        for first, last, term in every:
            near = min(window, first) + min(window, len(words) - 1 - last)
            found[term, "near"] += near * (term in targets)
            for group, of_group in family.items():
                found["(all)", group] += near * (term in of_group)
                apart = (max(a - last, first - b) for a, b, word in every if word in of_group)
                found[term, group] += sum(0 < n <= window for n in apart) * (term in targets)
    return found, sum(len(document.split()) for document in documents)
