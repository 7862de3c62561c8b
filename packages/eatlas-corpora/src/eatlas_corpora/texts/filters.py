"""What the templates of eatlas-corpora call."""

from __future__ import annotations

from collections.abc import Callable

from eatlas_corpora.present.documents import documents_in_words, larger_doubt, resampling_units

FILTERS: dict[str, Callable[..., object]] = {
    function.__name__: function for function in (documents_in_words, larger_doubt, resampling_units)
}
