"""``eatlas views``: the vectors, log-probabilities and answers of a model on the same tests."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import typer

from eatlas.cli.console import new_console, rich_table, say, show
from eatlas.cli.messages import exit_code, output_of_a_command, print_json, print_line
from eatlas.cli.progress import progress_of_jobs
from eatlas.executors import choose, executor_of
from eatlas.results import to_json_line
from eatlas_models.model_views import Views
from eatlas_models.model_views.measuring import carry_out, prepare
from eatlas_models.model_views.page import FILES, OPEN, agreement_tables, maps_table

DEFAULT_OUT = Path("views")


def views(
    sources: list[str] | None = None,
    *,
    tests: list[str] | None = None,
    vectors: list[str] | None = None,
    logprobs: list[str] | None = None,
    answers: list[str] | None = None,
    measure: list[str] | None = None,
    level: str = "word",
    prompt: str = "This is {}",
    out: Path | None = None,
    as_json: bool = False,
    seed: int = 0,
    workers: int | None = None,
    engine: str = "local",
) -> None:
    """Compare a model's vectors, log-probabilities and answers.

    Every SOURCE belongs to the same model. The command measures each form that it offers: hf:NAME
    in the vectors of all its layers, in log-probabilities and in answers; chat:URL?model=NAME in
    answers. It shows the EAT-Map of each view, and how far the views agree: Spearman's rho of the
    scores of targets, and of attributes, with its interval, over all of them and within the groups.
    To continue after an interruption, repeat the command. Exit codes: 0 all done, 1 some tests
    failed, 2 nothing could be measured, 130 interrupted.

    Parameters
    ----------
    sources : SOURCE...
        Sources of the model, such as hf:gpt2. NAME=SOURCE gives one a name.
    tests : ID|BATTERY|FILE.toml
        Association tests to measure. May be repeated. [default: weat-6]
    vectors : [NAME=]SOURCE
        A source of which only the vectors are measured. May be repeated.
    logprobs : [NAME=]SOURCE
        A source of which only the log-probabilities are measured, such as
        https://HOST/v1/completions?model=NAME. May be repeated.
    answers : [NAME=]SOURCE
        A source of which only the answers are measured, such as py:MODULE:FUNCTION. May be
        repeated.
    measure : SIGNATURE
        Measure for a form, instead of its default, such as 'ask(opponents=2)'. May be repeated.
        [default: ml-eat of vectors, lpbs of log-probabilities, ask of answers]
    level : word|sentence
        What a vector of a transformer represents: the word within the prompt, or the whole text.
    prompt : TEMPLATE
        Template around each word before a transformer encodes it. '{}' is the bare word.
    out : -o, --out DIR
        Folder for the page, the results with their report, and the tables. [default: views, or none
        with --json]
    as_json : --json
        Print only JSON, one object a line: the results, and last the record of the views.
    """
    prepared = prepare(
        sources, tests, vectors=vectors, logprobs=logprobs, answers=answers, measures=measure,
        level=level.lower(), prompt=prompt, seed=seed,
    )  # fmt: skip
    folder = out or (None if as_json else DEFAULT_OUT)
    executor = executor_of(engine, workers) or choose(workers, prepared.jobs)
    with progress_of_jobs(prepared.jobs, "run") as shown:
        made = carry_out(prepared, executor, folder, **shown)
    with output_of_a_command():
        if as_json:
            print_json(map(to_json_line, (*made.results, made.record)))
        elif folder is not None:
            _show(made, folder)
    raise typer.Exit(exit_code(made.results))


def _show(made: Views, folder: Path) -> None:
    """Print the views of each test, how far they agree, what is missing, and the files."""
    console = new_console()
    for test in made.tests:
        for number, text in enumerate(made.sentences(test) or [f"{made.forms}."]):
            say(console, text, head="" if number else f"{test}: ", hang=2)
        say(console, "")
        maps = maps_table(made, test, whole=False)
        agreements = agreement_tables(made, test, within=len(maps.rows) <= OPEN)
        for table in (maps, *agreements):
            if table in agreements:
                say(console, table.caption, "bold")
            show(console, rich_table(replace(table, caption="")))
            if table not in agreements[:-1]:
                say(console, "\n".join(table.notes), "dim")
            say(console, "")
    for missing in made.record.missing:
        of = f" on {missing.test}" if missing.test else ""
        text = f"{missing.model}{of}: {missing.reason}"
        say(console, text, head=f"No {missing.form}: ", hang=2)
    for name, what in FILES.items():
        print_line(f"{what + ':':<10} {folder / name}")
