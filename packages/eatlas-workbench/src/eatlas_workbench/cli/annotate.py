"""``eatlas annotate``: people label the group that a word is associated with in its contexts."""

from __future__ import annotations

from pathlib import Path

from eatlas.cli.console import new_console, show, table_of
from eatlas.cli.messages import output_of_a_command, print_line, remark
from eatlas.cli.options import Commands
from eatlas.decoding import decode_utf8
from eatlas.errors import EatlasError, listing
from eatlas.sources.outputs import require_place, sidecar_path
from eatlas.writing import require_other_file, require_writable
from eatlas_workbench.annotation import (
    Adjudicated,
    Agreement,
    load_items,
    read_labels,
    sample_items,
    serve_items,
)
from eatlas_workbench.annotation.items import journal_of, read_file, require_unlabelled
from eatlas_workbench.annotation.labels import Figure
from eatlas_workbench.cli.serving import serve as serve_page

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

    FILE.json, in the same folder, has the groups. People label on the page of eatlas annotate
    serve, or each person fills in the column label of a copy of the CSV file: a group of the test,
    none, or unclear.

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
    for path in (output, sidecar_path(output)):
        require_other_file(path, [contexts, sidecar_path(contexts)])
    if journal_of(output).exists():
        raise EatlasError(
            f"{output}: labels of these items exist",
            got=journal_of(output).name,
            remedy="choose another name with -o, or remove that file",
        )
    items = sample_items(contexts, tests, per_target=per_target, seed=seed)
    items.write(output)
    few = [f"{name} ({n:,})" for name, n in items.targets.items() if n < per_target]
    with output_of_a_command():
        print_line(
            f"{len(items):,} contexts of {len(items.targets):,} targets; labels: "
            f"{', '.join(items.labels)}"
        )
        if few:
            print_line(f"with fewer than {per_target:,}: {listing(few)}")
        if items.absent:
            print_line(f"without any context: {listing(items.absent)}")
        print_line("")
        print_line(f"items: {output}")
        print_line(f"label: eatlas annotate serve {output}")


@app.command("serve")
def serve(
    items: Path,
    *,
    guide: Path | None = None,
    port: int = 0,
) -> None:
    """Serve a page on which people label the items; Ctrl-C ends it.

    Only this machine can open the page; its address has a random token. Every label is saved before
    the next context is shown, in ITEMS.labels.jsonl. When served again, the page continues where
    each person stopped.

    Exit codes: 0 ended by Ctrl-C or SIGTERM; 2 an input cannot be used.

    Parameters
    ----------
    items : ITEMS.csv
        File of items, written by eatlas annotate sample.
    guide : --guide FILE.txt
        Instructions for the annotators, shown on the page.
    port : --port N >= 0
        0 takes a free one.
    """
    text = "" if guide is None else decode_utf8(read_file(guide, "guide"), str(guide), EatlasError)
    page = serve_items(items, guide=text.strip(), port=port)
    serve_page(page, "labels are saved one by one")
    for name, n in page.done.items():
        remark(f"{name}: {n:,} of {len(page.journal.items):,} labelled")
    remark(f"labels: {page.journal.path}")
    remark(f"read:   eatlas annotate read {items}")


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
        File of contexts that the items were sampled from.
    """
    if (labelled is None) != (contexts is None):
        raise EatlasError(
            "--labelled and --contexts need each other",
            got="--contexts alone" if labelled is None else "--labelled alone",
            allowed="--labelled FILE --contexts FILE: what is written, and the contexts that the "
            "items were sampled from",
        )
    inputs = [items, sidecar_path(items), *(labels or []), *filter(None, (decisions, contexts))]
    for path in filter(None, (counts, ties, labelled, labelled and sidecar_path(labelled))):
        require_writable(path)
        require_other_file(path, inputs)
        if path in {ties, counts}:
            require_unlabelled(path, any_table=path == counts)
    if labelled is not None:
        require_place(labelled, "contexts", (".parquet", ".jsonl", ".csv"))
    given = read_labels(load_items(items) if labels else items, labels or None)
    agreement, adjudicated = given.agreement(), given.adjudicated(decisions)
    if labelled is not None and contexts is not None:
        adjudicated.labelled(contexts).write(labelled)
    if counts is not None:
        adjudicated.write_counts(counts)
    if ties is not None:
        adjudicated.write_ties(ties)
    with output_of_a_command():
        _print_agreement(agreement)
        _print_adjudicated(adjudicated, hint=ties is None)
        for name, written in (("counts", counts), ("ties", ties), ("labelled", labelled)):
            if written:
                print_line(f"{name + ':':<9} {written}")


def _print_agreement(agreement: Agreement) -> None:
    """Print the coefficients as tables: of all labels, by label, in pairs."""

    def cells(figure: Figure) -> tuple[str, str]:
        """A coefficient and its interval."""
        ends = "[{:.3f}, {:.3f}]".format(*figure.interval) if figure.interval else ""
        return "-" if figure.value is None else f"{figure.value:.3f}", ends

    a = agreement
    raters = f" with {a.raters} labels each" if a.raters else ""
    overall = [
        ("Krippendorff's alpha", *cells(a.alpha), f"{a.compared:,} with 2 labels or more"),
        ("Fleiss' kappa", *cells(a.kappa), f"{a.rated:,}{raters}"),
        ("agreement", *cells(a.agreement), f"{a.compared:,}"),
    ]
    by_label = [(of.label, f"{of.given:,}", *cells(of.alpha), *cells(of.kappa)) for of in a.labels]
    pairs = [
        (f"{p.first}, {p.second}", f"{p.items:,}", cells(p.agreement)[0], *cells(p.kappa))
        for p in a.pairs
    ]
    names = ", ".join(f"{name} {n:,}" for name, n in a.annotators.items())
    print_line(f"{a.test}: {a.items:,} contexts; labels of {names}")
    console = new_console()
    for heads, rows, align in (
        (("all labels", "value", "95%", "contexts"), overall, "lrll"),
        (("label", "given", "alpha", "95%", "kappa", "95%"), by_label, "lrrlrl"),
        (("annotators", "contexts", "same", "Cohen's kappa", "95%"), pairs, "lrrrl"),
    ):
        if rows:
            print_line("")
            show(console, table_of(heads, rows, align))
    print_line("")
    if a.doubt:
        print_line(a.doubt)
    if a.unclear:
        said = ", ".join(f"{name} {n:,}" for name, n in a.unclear.items())
        print_line(f"called unclear, and left out of these numbers: {said}")


def _print_adjudicated(adjudicated: Adjudicated, *, hint: bool) -> None:
    """Say how contexts got one label, and which did not."""
    decided = f", {adjudicated.decided:,} by decision" if adjudicated.decided else ""
    print_line(f"contexts with one label: {len(adjudicated.labels):,}, by majority{decided}")
    if adjudicated.unlabelled:
        print_line(f"without any label: {adjudicated.unlabelled:,}")
    if adjudicated.unclear:
        print_line(f"unclear, not counted: {len(adjudicated.unclear):,}")
    if not adjudicated.ties:
        return
    print_line(f"ties, not counted: {len(adjudicated.ties):,}")
    for tie in adjudicated.ties[:SHOWN]:
        votes = ", ".join(f"{label} {n}" for label, n in tie.votes.items())
        print_line(f"  {tie.item}  {tie.target}: {votes}")
    if len(adjudicated.ties) > SHOWN:
        print_line(f"  and {len(adjudicated.ties) - SHOWN:,} more")
    if hint:
        print_line("  --ties FILE writes them, to be filled in and read by --decisions FILE")
