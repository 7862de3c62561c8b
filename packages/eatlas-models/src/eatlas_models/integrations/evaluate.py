"""Association tests as a metric of Hugging Face's evaluate."""

from __future__ import annotations

from typing import Any

import eatlas

try:
    from datasets import Features, Sequence, Value
    from evaluate import Metric, MetricInfo
except ImportError as error:
    raise eatlas.EatlasError(
        "EATMetric needs evaluate", got=str(error), remedy="pip install evaluate"
    ) from error

INPUTS = """
Args:
    predictions: a vector for each word or text.
    references: the words or texts, in the same order.
    tests, measures: as eatlas.run takes them.
"""


class EATMetric(Metric):  # type: ignore[misc]
    """Association tests on vectors, as a metric of ``evaluate``; nothing is fetched from a hub.

    ``compute(predictions=vectors, references=words, tests="weat-6")`` returns
    :meth:`eatlas.Results.metrics`: ``weat-6/d``, ``weat-6/p`` and so on. Words that are missing are
    counted in ``weat-6/missing``.

    Examples
    --------
    >>> metric = EATMetric()  # doctest: +SKIP
    >>> metric.compute(predictions=vectors, references=words, tests="weat-6")  # doctest: +SKIP
    """

    def _info(self) -> MetricInfo:
        return MetricInfo(
            description="Embedding association tests (WEAT and others) with exact p-values.",
            citation="Caliskan, Bryson and Narayanan (2017), Science 356(6334), 183-186",
            inputs_description=INPUTS,
            features=Features(
                {"predictions": Sequence(Value("float64")), "references": Value("string")}
            ),
        )

    def _compute(
        self,
        predictions: Any,
        references: Any,
        tests: Any = None,
        measures: Any = "ml-eat",
        **options: Any,
    ) -> dict[str, float]:
        if tests is None:
            raise eatlas.EatlasError(
                "EATMetric needs to know the tests", remedy='compute(..., tests="weat-6")'
            )
        vectors = list(references), list(predictions)
        return eatlas.run(tests, vectors, measures, store=None, **options).metrics()
