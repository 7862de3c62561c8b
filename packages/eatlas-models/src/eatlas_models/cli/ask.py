"""``eatlas ask``: tests put to models that answer, what that costs, and texts that they write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields
from functools import partial
from pathlib import Path
from typing import Any

from eatlas.cli.messages import output_of_a_command, print_json, print_line, print_rows, remark
from eatlas.cli.progress import bar_of
from eatlas.cli.run import measure_and_show
from eatlas.decoding import lines_of
from eatlas.engine.jobs import Job
from eatlas.errors import EatlasError, SignatureError
from eatlas.measures import get_measure
from eatlas.numbers import number_of
from eatlas.paths import is_file
from eatlas.sources.outputs import require_place
from eatlas.stimuli import load_tests
from eatlas_models.engine import asking, generating
from eatlas_models.engine.asking import AskCost
from eatlas_models.engine.generating import GeneratedText

TEXTS = Path("texts.jsonl")
FIGURES = (
    ("tests", "tests", "{:,}"),
    ("questions", "questions", "{:,}"),
    ("answers", "answers", "{:,}"),
    ("kept from before", "kept", "{:,}"),
    ("question tokens", "prompt_tokens", "{:,}"),
    ("answer tokens", "answer_tokens", "{:,}"),
    ("answer tokens, at most", "most_answer_tokens", "{:,}"),
    ("cost", "cost", "{:,.4g}"),
    ("cost, at most", "most_cost", "{:,.4g}"),
)
"""Labels of what asking a model costs, by the names of the figures, and how they are written."""


def ask(
    model: list[str],
    *,
    tests: list[str] | None = None,
    by: str | None = None,
    templates: str | None = None,
    opponents: int | None = None,
    answers: int | None = None,
    temperature: float | None = None,
    tokens: int | None = None,
    measure: list[str] | None = None,
    generate: str | None = None,
    number: int | None = None,
    targets: str | None = None,
    dry_run: bool = False,
    price: str | None = None,
    save_answers: Path | None = None,
    out: Path | None = None,
    as_json: bool = False,
    seed: int = 0,
) -> None:
    """Prompt models with association tests, or have them generate texts.

    For each target, pairs of attributes compete: "Which word goes better with Amy: executive or
    home?" The model gets each comparison in both orders, and eight questions sample their own
    pairs. The proportion of comparisons that an attribute wins replaces its cosine. The same as
    eatlas run --measure ask --vectors MODEL. Each answer is stored as it comes: repeat an
    interrupted command to continue. Exit codes: 0 all done, 1 some tests failed, 2 nothing could be
    run, 130 interrupted.

    Parameters
    ----------
    model : MODEL...
        Models that answer: chat:URL?model=NAME, an address for chat completions in OpenAI's form;
        hf:NAME, a causal model of transformers; py:module:function; or a file of answers, CSV or
        JSON lines. With several models, the report compares them; NAME=MODEL names one.
    tests : ID|BATTERY|FILE.toml
        Tests to ask, or whose targets the texts are about. May be repeated. [default: weat-6, male
        and female names with career and family; none for texts]
    by : auto|logprobs|samples
        How to read a choice: from the probability of each option as the model's answer, or from
        sampled answers. [default: probabilities, if the model returns them]
    templates : NAME|FILE.toml|TEMPLATE;...
        Questions with {first}, {second} and either {target} or {attribute}; or words, names,
        groups, professions or persons. [default: the test's own, else words]
    opponents : N >= 2
        Number of other attributes that each attribute is compared with in a question. [default: 2]
    answers : N >= 1
        Answers to sample for each question. [default: 1]
    temperature : T
        Temperature of sampling for answers and texts. [default: 1.0]
    tokens : N >= 1
        Maximum length of an answer or of a text. [default: 32; 400 for texts]
    measure : SIGNATURE
        ask or assign, with parameters in brackets: 'ask(alpha=0.01)'. May be repeated. [default:
        ask]
    generate : --generate TEMPLATE
        Have one model generate texts, such as "Write a story about a {target}."; {a target} is a
        target with its English article. Count texts with eatlas text, or embed them with
        eatlas embed --by group.
    number : -n, --number N >= 1
        Texts about each target. [default: 100]
    targets : WORD,...|FILE
        Targets of texts, in place of --tests; in a file, one per line.
    dry_run
        Count questions, tokens and cost, and send nothing.
    price : IN,OUT
        Price of a million input tokens, and of a million output tokens, such as 0.15,0.60. Needs
        --dry-run.
    save_answers : --save-answers FILE.csv|FILE.jsonl
        Write every answer of the model to a file, which eatlas ask FILE can measure again. Needs
        one model and one measure.
    out : -o, --out PATH
        Folder for results.jsonl and report.html, or file for texts, .jsonl. [default: out, or
        none with --json; texts.jsonl]
    """
    shared = {"temperature": temperature, "tokens": tokens}
    of_choices = {"by": by, "templates": templates, "opponents": opponents, "answers": answers}
    amounts = None if price is None else _price(price, dry_run=dry_run)
    if save_answers is not None:
        _require_savable(save_answers, model, measure, generate=generate, dry_run=dry_run)
    if generate is not None:
        _require_none("--generate", **of_choices, measure=measure)
        chosen = _targets(tests, targets)
        texts = _drop_none({"n": number, **shared})
        if dry_run:
            cost = _cost_of_texts(model, generate, chosen, amounts, **texts)
            _show_costs([cost], as_json=as_json)
        else:
            _generate(model, generate, chosen, out or (None if as_json else TEXTS), **texts)
        return
    if targets is not None or number is not None:
        lost = "--targets" if number is None else "-n"
        raise EatlasError(
            f"{lost} applies only to texts that a model generates",
            allowed=f"--generate TEMPLATE {lost} ...",
        )

    measures = _measures(measure, **of_choices, **shared)
    if dry_run:
        _show_costs(asking.ask_cost(tests, model, measures, price=amounts), as_json=as_json)
        return
    measure_and_show(
        tests or asking.DEFAULT_TEST, model, measures, out=out, as_json=as_json, workers=None,
        engine="local", seed=seed,
        planned=None if save_answers is None else partial(_save_answers, save_answers),
    )  # fmt: skip


def _require_savable(
    path: Path, model: list[str], measure: list[str] | None, *, generate: str | None, dry_run: bool
) -> None:
    """Refuse answers that no file can store, before prompting a model."""
    if generate is not None or dry_run:
        other = "--dry-run" if dry_run else "--generate"
        raise EatlasError(f"--save-answers and {other} exclude each other")
    if len(model) > 1 or len(measure or ()) > 1:
        raise EatlasError(
            "--save-answers takes one model and one measure",
            got=f"{number_of(len(model), 'model')}, {number_of(len(measure or ['']), 'measure')}",
            remedy="run one command for each, with its own file; eatlas reuses cached answers",
        )
    require_place(path, "answers", asking.ENDINGS)


def _save_answers(path: Path, jobs: Sequence[Job]) -> None:
    """Write the answers that jobs have read, and say where they lie."""
    for earlier in asking.write_answers(path, jobs):
        remark(f"{path} had other answers; kept as {earlier}")
    remark(f"answers: {path}")


def _drop_none(parameters: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if value is not None}


def _measures(signatures: list[str] | None, **parameters: Any) -> list[Any]:
    """Measures of answers, with the parameters that options state."""
    measures = []
    for measure in map(get_measure, signatures or ["ask"]):
        asking.require_asking(measure)
        names = [field.name for field in fields(measure) if field.init]
        for name in _drop_none(parameters):
            if name not in names:
                raise SignatureError(
                    f"the measure {measure.name} has no option --{name}",
                    allowed=", ".join(f"--{each}" for each in parameters if each in names),
                )
        measures.append(measure.with_parameters(**_drop_none(parameters)))
    return measures


def _require_none(what: str, **options: Any) -> None:
    """Refuse options of questions beside texts."""
    for name in _drop_none(options):
        raise EatlasError(
            f"--{name} applies to tests that a model answers, and {what} asks none",
            allowed=f"{what} with -n, --tests or --targets, --tokens and --temperature",
        )


def _price(text: str, *, dry_run: bool) -> tuple[float, float]:
    """Two amounts of money, with a comma between them."""
    if not dry_run:
        raise EatlasError("--price needs --dry-run", got=f"--price {text} alone")
    try:
        questions, answers = map(float, text.split(","))
    except ValueError as error:
        raise EatlasError(
            "--price: not two amounts",
            got=text,
            allowed="prices of a million input and of a million output tokens: 0.15,0.60",
        ) from error
    return questions, answers


def _targets(tests: list[str] | None, targets: str | None) -> Any:
    """Targets of texts: of tests, of a file, or as they are written."""
    if (tests is None) == (targets is None):
        raise EatlasError(
            "texts need targets" if tests is None else "--tests and --targets exclude each other",
            allowed="--tests TEST, for its targets, or --targets WORD,...",
        )
    if targets is None:
        return load_tests(tests or [])
    if is_file(targets):
        return lines_of(Path(targets), "word", EatlasError)
    return [word.strip() for word in targets.split(",") if word.strip()]


def _cost_of_texts(
    model: list[str], template: str, targets: Any, price: Any, **texts: Any
) -> AskCost:
    """What it costs to have texts written."""
    prompts = generating.prompts_of(template, targets, **texts)
    return asking.cost_of(
        generating.open_writer(model), [prompt for prompt, _, _ in prompts], price
    )


def _generate(
    model: list[str], template: str, targets: Any, out: Path | None, **texts: Any
) -> None:
    """Have texts written, and print them as JSON lines or say where they are."""
    require_place(out, "texts", generating.ENDINGS)
    with bar_of("texts") as tick:
        written = generating.generate(model, template, targets, progress=tick or False, **texts)
    for earlier in generating.write(out, written) if out is not None else ():
        remark(f"{out} had other texts; kept as {earlier}")
    with output_of_a_command():
        if out is None:
            print_json(map(asdict, written))
        else:
            _print_texts(written, out)


def _print_texts(texts: Sequence[GeneratedText], out: Path) -> None:
    """Print how many texts and words there are of each group, and where the file lies."""
    rows: list[tuple[str, ...]] = [("group", "targets", "texts", "words", "empty")]
    for group in dict.fromkeys(text.group for text in texts):
        own = [text for text in texts if text.group == group]
        words = sum(len(text.text.split()) for text in own)
        empty = sum(not text.text.strip() for text in own)
        counts = (len({text.target for text in own}), len(own), words, empty)
        rows.append((group or "(all)", *(f"{count:,}" for count in counts)))
    print_rows(rows)
    print_line("")
    print_line(f"texts: {out}")


def _show_costs(costs: Sequence[AskCost], *, as_json: bool) -> None:
    """Print what would be asked, and what that costs, a column for each model."""
    with output_of_a_command():
        if as_json:
            print_json(map(asdict, costs))
            return
        rows: list[tuple[str, ...]] = [("", *(cost.source for cost in costs))]
        for label, field, form in FIGURES:
            values = [getattr(cost, field) for cost in costs]
            if any(values) or (field != "tests" and None not in values):
                rows.append((label, *(form.format(value) for value in values)))
        print_rows(rows)
        print_line("")
        left = sum(cost.answers - cost.kept for cost in costs)
        print_line(f"Nothing was sent. Tokens are of the {number_of(left, 'answer')} still to ask.")
        print_line(
            "Answer tokens assume one of the two options; for free text, the maximum length."
        )
        if any(cost.estimated for cost in costs):
            print_line(
                "Question tokens are estimates: a fourth of the bytes of a text, and 7 for "
                "each message."
            )
        for cost in costs:
            if cost.unsure:
                print_line(
                    f"Whether {cost.source} returns log-probabilities is known only after the "
                    "first request; this estimate assumes not."
                )
