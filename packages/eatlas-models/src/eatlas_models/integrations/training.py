"""Association tests while a model of sentence-transformers is trained."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import eatlas

try:
    from sentence_transformers.sentence_transformer.evaluation import SentenceEvaluator
except ImportError as error:
    raise eatlas.EatlasError(
        "EATEvaluator needs sentence-transformers",
        got=str(error),
        remedy="pip install 'eatlas[hf]'",
    ) from error

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


class EATEvaluator(SentenceEvaluator):  # type: ignore[misc]
    """Association tests as an evaluator, for ``SentenceTransformerTrainer(evaluator=...)``.

    Parameters
    ----------
    tests, measures
        As :func:`eatlas.run` takes them.
    name : str
        Begins the names of metrics and of the CSV file.
    write_csv : bool
        Whether metrics are added, a row for each call, to a CSV file in `output_path`.
    **options
        Other arguments of :func:`eatlas.run`.

    Notes
    -----
    A call returns :meth:`eatlas.Results.metrics`, such as ``weat-6/d``, and ``mean_abs_d``, the
    mean of abs(d) over tests, which is NaN if one of them is undefined. That is the primary metric,
    of which less is better; it compares states of one model, and effect sizes of different models
    need not be comparable.

    Examples
    --------
    >>> from sentence_transformers import SentenceTransformer  # doctest: +SKIP
    >>> evaluator = EATEvaluator("sent-weat-6")  # doctest: +SKIP
    >>> evaluator(SentenceTransformer("all-MiniLM-L6-v2"))["sent-weat-6/d"]  # doctest: +SKIP
    """

    def __init__(
        self,
        tests: Any,
        measures: Any = "ml-eat",
        *,
        name: str = "",
        write_csv: bool = True,
        **options: Any,
    ) -> None:
        super().__init__()
        self.tests = eatlas.load_tests(tests)  # a fault is seen before the training
        self.measures, self.name = measures, name
        self.write_csv, self.options = write_csv, options
        self.primary_metric, self.greater_is_better = "mean_abs_d", False
        self.csv_file = "_".join(filter(None, ("association_evaluation", name, "results.csv")))

    def __call__(
        self,
        model: SentenceTransformer,
        output_path: str | None = None,
        epoch: int = -1,
        steps: int = -1,
    ) -> dict[str, float]:
        """Measure the tests in a model, as it is now."""
        results = eatlas.run(self.tests, {"model": model}, self.measures, **self.options)
        numbers = results.numbers()
        sizes = [
            np.nan if d is None else abs(d) for key, d in numbers.items() if key.endswith("/d")
        ]
        mean = {"mean_abs_d": float(np.mean(sizes)) if sizes else np.nan}
        if output_path is not None and self.write_csv:  # its columns are those of the first row
            self._add_row(Path(output_path), {"epoch": epoch, "steps": steps, **numbers, **mean})
        metrics = dict(self.prefix_name_to_metrics(results.metrics() | mean, self.name))
        self.store_metrics_in_model_card_data(model, metrics, epoch, steps)
        return metrics

    def _add_row(self, folder: Path, row: dict[str, float | None]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / self.csv_file
        is_new = not path.exists()
        with path.open("a", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([row, row.values()] if is_new else [row.values()])
