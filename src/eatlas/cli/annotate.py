"""``eatlas annotate``: people label the group that a word is associated with in its contexts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from eatlas.cli.messages import output_of_a_command, print_json, print_line, remark
from eatlas.cli.options import Commands
from eatlas.errors import listed

if TYPE_CHECKING:
    from eatlas.apps.annotation import Adjudicated, Agreement, Items
    from eatlas.apps.annotation.labels import Figure

LONGEST_GUIDE = 20_000
"""Characters of a guide."""
SHOWN = 5
"""Ties that are shown one by one; --ties writes all."""
app = Commands(
    help="Label contexts by hand: sample them, serve a page or fill in the CSV, read labels back.",
    no_args_is_help=True,
)


@app.command("sample")
def sample(
    contexts: Path,
    *,
    tests: str,
    output: Path = Path("items.csv"),
    per_target: int = 20,
    seed: int = 0,
) -> None:
    """Sample contexts of the targets of a test of groups to a CSV file, for people to label.

    FILE.json beside it has the groups. People label on the page of eatlas annotate serve, or each
    fills in the column label of an own copy of the CSV file: a group of the test, or none.

    Exit codes: 0 done; 2 an input cannot be used.

    Parameters
    ----------
    contexts : FILE
        File of contexts, written by eatlas contexts.
    tests : --tests ID|FILE.toml
        One test of targets and groups.
    output : -o, --output FILE.csv
        File for the items.
    per_target : N >= 1
        Largest number of contexts for each target.
    seed : N >= 0
        Seed of the sample and of the order in which each person sees it.
    """
    from eatlas.apps.annotation import sample_items  # noqa: PLC0415  (--help waits for none)
    from eatlas.apps.annotation.items import require_csv  # noqa: PLC0415
    from eatlas.apps.annotation.journal import journal_of  # noqa: PLC0415
    from eatlas.corpora.writing import beside  # noqa: PLC0415
    from eatlas.errors import EatlasError  # noqa: PLC0415
    from eatlas.writing import require_other_file  # noqa: PLC0415

    require_csv(output)
    for path in (output, beside(output)):
        require_other_file(path, [contexts, beside(contexts)])
    if journal_of(output).exists():
        raise EatlasError(
            f"{output}: labels of these items exist",
            got=journal_of(output).name,
            remedy="choose another name with -o, or remove that file",
        )
    items = sample_items(contexts, tests, per_target=per_target, seed=seed)
    items.write(output)
    with output_of_a_command():
        for line in _of_items(items, output):
            print_line(line)


def _of_items(items: Items, output: Path) -> Iterator[str]:
    """Say what was sampled, and what to do now."""
    wanted = items.provenance["per_target"]
    yield (
        f"{len(items):,} contexts of {len(items.targets):,} targets; labels: "
        f"{', '.join(items.labels)}"
    )
    if few := [f"{name} ({n:,})" for name, n in items.targets.items() if n < wanted]:
        yield f"with fewer than {wanted:,}: {listed(few)}"
    if items.absent:
        yield f"without any context: {listed(items.absent)}"
    yield ""
    yield f"items: {output}"
    yield f"label: eatlas annotate serve {output}"


@app.command("serve")
def serve(
    items: Path,
    *,
    labels: Path | None = None,
    guide: Path | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
) -> None:
    """Serve a page on which people label the items; Ctrl-C ends it.

    Only this machine can open the page; its address has a random token. Every label is saved before
    the next context is shown. When served again, the page continues where each person stopped.

    Exit codes: 0 ended by Ctrl-C; 2 an input cannot be used.

    Parameters
    ----------
    items : ITEMS.csv
        File of items, written by eatlas annotate sample.
    labels : --labels FILE.jsonl
        File for the labels. [default: ITEMS.labels.jsonl beside the items]
    guide : --guide FILE.txt
        Instructions for the annotators, shown on the page.
    host : --host 127.0.0.1|::1
        The loopback address.
    port : --port N >= 0
        Port; 0 chooses a free one.
    """
    from eatlas.apps.annotation import Journal, load_items  # noqa: PLC0415
    from eatlas.apps.annotation.journal import journal_of  # noqa: PLC0415
    from eatlas.apps.annotation.page import application  # noqa: PLC0415
    from eatlas.apps.serving import serve as serve_page  # noqa: PLC0415
    from eatlas.writing import require_other_file  # noqa: PLC0415

    given = load_items(items)
    output = labels or journal_of(items)
    require_other_file(output, [items])
    said = _guide(guide)
    with Journal(output, given) as journal:
        serve_page(application(journal, said), started=_opened, host=host, port=port)
        for name, work in sorted(journal.work.items()):
            remark(f"{name}: {work.done:,} of {len(given):,} labelled")
    usual = journal.path == journal_of(items)
    remark(f"labels: {journal.path}")
    remark(f"read:   eatlas annotate read {items}" + ("" if usual else f" {journal.path}"))


def _opened(address: str) -> None:
    """Say where the page is; the terminal may be a pipe."""
    with output_of_a_command():
        print_line(f"page:  {address}")
    remark("Open it in a browser on this machine. Ctrl-C ends it; labels are saved one by one.")


def _guide(path: Path | None) -> str:
    """Text of the guide for annotators; empty without a file."""
    from eatlas.decoding import require_file  # noqa: PLC0415
    from eatlas.errors import EatlasError  # noqa: PLC0415

    if path is None:
        return ""
    require_file(path, EatlasError)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        got = getattr(error, "strerror", None) or "no UTF-8"
        raise EatlasError(f"{path}: the guide cannot be read", got=got) from error
    if len(text) > LONGEST_GUIDE:
        raise EatlasError(
            f"{path}: the guide is too long",
            got=f"{len(text):,} characters",
            allowed=f"up to {LONGEST_GUIDE:,}",
        )
    return text.strip()


@app.command("read")
def read(
    items: Path,
    labels: list[Path] | None = None,
    *,
    decisions: Path | None = None,
    counts: Path | None = None,
    ties: Path | None = None,
    labelled: Path | None = None,
    contexts: Path | None = None,
    resamples: int = 1000,
    seed: int = 0,
    as_json: bool = False,
) -> None:
    """Read labels back: agreement of the annotators, and one label for each context.

    Prints Krippendorff's alpha and Fleiss' kappa with bootstrap intervals over contexts, by label
    and in pairs. A context gets the label that most annotators gave; ties are listed.

    Exit codes: 0 done; 2 an input cannot be used.

    Parameters
    ----------
    items : ITEMS.csv
        File of items, written by eatlas annotate sample.
    labels : [LABELS...]
        Files of the page (.jsonl), and CSV files with the columns item and label; the annotator is
        the column annotator, or else the file's name. [default: ITEMS.labels.jsonl]
    decisions : --decisions FILE.csv
        Decisions that override the majority: the file of --ties with the column label filled in.
    counts : --counts FILE.csv
        Write contexts by target and group, for eatlas run --measure "divdist(soa=counts)".
    ties : --ties FILE.csv
        Write the ties to FILE.csv for a decision.
    labelled : --labelled FILE
        Write the contexts with their labels, for eatlas run --measure "divdist(soa=probe)":
        .parquet, .jsonl or .csv; needs --contexts.
    contexts : --contexts FILE
        File of contexts from which the items were sampled.
    resamples : N >= 0
        Number of resamples for the intervals; 0 for none.
    seed : N >= 0
        Seed of the resamples.
    as_json : --json
        Print only JSON: agreement and adjudication as one object.
    """
    from eatlas.apps.annotation import load_items, read_labels  # noqa: PLC0415

    _require_outputs(items, labels, decisions, counts, ties, labelled, contexts)
    known = load_items(items)
    found = read_labels(known if labels else items, labels or None)
    agreed = found.agreement(resamples=resamples, seed=seed)
    one = found.adjudicated(decisions)
    if labelled is not None and contexts is not None:
        one.labelled(contexts).write(labelled)
    if counts is not None:
        one.write_counts(counts)
    if ties is not None:
        one.write_ties(ties)
    written = {"counts": counts, "ties": ties, "labelled": labelled}
    with output_of_a_command():
        if as_json:
            print_json([agreed.to_dict() | {"adjudicated": _adjudicated(one)}])
            return
        _show(agreed)
        for line in _after(one, written):
            print_line(line)


def _require_outputs(
    items: Path,
    labels: list[Path] | None,
    decisions: Path | None,
    counts: Path | None,
    ties: Path | None,
    labelled: Path | None,
    contexts: Path | None,
) -> None:
    """Refuse what could not be written, or would be written over what is read."""
    from eatlas.apps.annotation.items import require_unlabelled  # noqa: PLC0415
    from eatlas.corpora.writing import beside, require_place  # noqa: PLC0415
    from eatlas.errors import EatlasError  # noqa: PLC0415
    from eatlas.writing import require_other_file, require_writable  # noqa: PLC0415

    if (labelled is None) != (contexts is None):
        raise EatlasError(
            "--labelled and --contexts need each other",
            got="--contexts alone" if labelled is None else "--labelled alone",
            allowed="--labelled FILE --contexts FILE: what is written, and the contexts that the "
            "items were sampled from",
        )
    if labelled is not None:
        require_place(labelled)
    inputs = [items, beside(items), *(labels or []), *filter(None, (decisions, contexts))]
    outputs = [*filter(None, (counts, ties)), *([labelled, beside(labelled)] if labelled else [])]
    for path in outputs:
        require_writable(path)
        require_other_file(path, inputs)
    if ties is not None:
        require_unlabelled(ties)
    if counts is not None:
        require_unlabelled(counts, any_table=True)


def _adjudicated(one: Adjudicated) -> dict[str, object]:
    rows = one.counts().rows if one.labels else {}
    return {
        "labelled": len(one.labels),
        "decided": one.decided,
        "ties": [tie._asdict() | {"votes": dict(tie.votes)} for tie in one.ties],
        "unlabelled": one.unlabelled,
        "counts": {term: dict(row) for term, row in rows.items()},
    }


def _show(found: Agreement) -> None:
    """Print the coefficients as tables: of all labels, by label, in pairs."""
    from eatlas.cli.console import new_console, show, table_of  # noqa: PLC0415

    console = new_console()
    names = ", ".join(f"{name} {n:,}" for name, n in found.annotators.items())
    print_line(f"{found.test}: {found.items:,} contexts; labels of {names}")
    print_line("")
    each = f"{found.rated:,} with {found.raters} labels each" if found.raters else "0"
    overall = (
        ("Krippendorff's alpha", found.alpha, f"{found.compared:,} with 2 labels or more"),
        ("Fleiss' kappa", found.kappa, each),
        ("agreement", found.agreement, f"{found.compared:,}"),
    )
    rows = [(name, *_cells(one), contexts) for name, one, contexts in overall]
    show(console, table_of(("all labels", "value", "95%", "contexts"), rows, "lrll"))
    print_line("")
    by_label = [
        (one.label, f"{one.given:,}", *_cells(one.alpha), *_cells(one.kappa))
        for one in found.labels
    ]
    heads = ["label", "given", "alpha", "95%", "kappa", "95%"]
    show(console, table_of(heads, by_label, "lrrlrl"))
    if found.pairs:
        print_line("")
        pairs = [
            (
                f"{one.first}, {one.second}",
                f"{one.items:,}",
                _cells(one.agreement)[0],
                *_cells(one.kappa),
            )
            for one in found.pairs
        ]
        heads = ["annotators", "contexts", "same", "Cohen's kappa", "95%"]
        show(console, table_of(heads, pairs, "lrrrl"))
    print_line("")


def _cells(one: Figure) -> tuple[str, str]:
    """A coefficient and its interval."""
    value = "-" if one.value is None else f"{one.value:.3f}"
    if one.interval is None:
        return value, ""
    return value, f"[{one.interval[0]:.3f}, {one.interval[1]:.3f}]"


def _after(one: Adjudicated, written: dict[str, Path | None]) -> Iterator[str]:
    """Say how contexts got one label, which did not, and what was written."""
    how = f", {one.decided:,} by decision" if one.decided else ""
    yield f"contexts with one label: {len(one.labels):,}, by majority{how}"
    if one.unlabelled:
        yield f"without any label: {one.unlabelled:,}"
    if one.ties:
        yield f"ties, not counted: {len(one.ties):,}"
        for tie in one.ties[:SHOWN]:
            votes = ", ".join(f"{label} {n}" for label, n in tie.votes.items())
            yield f"  {tie.item}  {tie.target}: {votes}"
        if len(one.ties) > SHOWN:
            yield f"  and {len(one.ties) - SHOWN:,} more"
        if written["ties"] is None:
            yield "  --ties FILE writes them, to be filled in and read by --decisions FILE"
    yield from (f"{name + ':':<9} {path}" for name, path in written.items() if path)
