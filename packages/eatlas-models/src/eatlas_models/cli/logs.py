"""``eatlas logs``: scores of inspect_ai and lm-eval beside association, and their agreement."""

from __future__ import annotations

from pathlib import Path

import typer

from eatlas.cli.messages import exit_code, output_of_a_command, print_json, print_line
from eatlas.cli.table import print_results
from eatlas.errors import EatlasError
from eatlas.present.report import write_run
from eatlas.results import Results, read_results, to_json_line
from eatlas_models.engine.benchmarks import agreement, read_logs, rename_models

DEFAULT_OUT = Path("logs")


def logs(
    files: list[str],
    *,
    results: list[Path] | None = None,
    category: str = "category",
    same: list[str] | None = None,
    out: Path | None = None,
    as_json: bool = False,
    seed: int = 0,
) -> None:
    """Read scores from logs of inspect_ai and lm-eval, and compare them with association.

    The scores become results, which report and atlas show beside those of eatlas run. With
    --results, the command also tests for each category whether the score and the association order
    models alike: Spearman's rho over models, with its interval. It needs at least six models.

    Parameters
    ----------
    files : [NAME=]LOG...
        Logs, or folders of logs: .eval and .json of inspect_ai, results_*.json of lm-eval with
        samples_*.jsonl next to them. NAME=LOG names the model.
    results : --results RESULTS
        Results of eatlas run or eatlas ask on the same models. May be repeated.
    category : KEY
        Key of the data of a sample that has its category.
    same : --same TEST=CATEGORY
        Category of a test that eatlas does not know, such as my-test=gender. May be repeated.
    out : -o, --out DIR
        Folder for results.jsonl and report.html, which have the results of --results too. [default:
        logs, or none with --json]
    as_json : --json
        Print only JSON, one object a line.
    seed : N
        Of permutations, with more than eight models.
    """
    categories = dict(map(_pair, same or ()))
    read = read_logs(files, category=category)
    found = [*read]
    if results:
        measured = read_results(results)
        found = [*measured, *rename_models(measured, read)]
        found = [*agreement(found, categories=categories, seed=seed), *found]
    every = Results(found)
    folder = out or (None if as_json else DEFAULT_OUT)
    if folder is not None:
        write_run(every, folder, {})
    with output_of_a_command():
        if as_json:
            print_json(map(to_json_line, every))
        elif folder is not None:
            print_results(every)
            print_line(f"results: {folder / 'results.jsonl'}")
            print_line(f"report:  {folder / 'report.html'}")
    raise typer.Exit(exit_code(every))


def _pair(text: str) -> tuple[str, str]:
    """A test and its category."""
    test, sign, category = text.partition("=")
    if not (test.strip() and sign and category.strip()):
        raise EatlasError(
            "--same needs a test and a category",
            got=text,
            allowed="TEST=CATEGORY, such as my-test=gender",
        )
    return test.strip(), category.strip()
