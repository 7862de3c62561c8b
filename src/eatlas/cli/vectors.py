"""``eatlas vectors``: published vectors listed and fetched; any vectors checked and transformed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from eatlas.cli.messages import output_of_a_command, print_json, print_line, print_rows, remark
from eatlas.cli.options import Commands
from eatlas.cli.progress import Lines, bar_of, bars

if TYPE_CHECKING:
    from eatlas.results.residual import ResidualBias, TransformCost
    from eatlas.sources.published import Published

SAMPLE = "glove-sample"
OWN, ALL = "own", "all"
"""Names the word sets of a source's own transform; all similarity and analogy sets by name."""
KEYS = (
    "name", "title", "dim", "url", "size", "hash", "evidence", "licence", "page", "citation",
    "notes", "caution", "path",
)  # fmt: skip
SOON = 20.0
"""Seconds before the first line of progress where no bar is shown."""

app = Commands(
    help="List and fetch published vectors; check and transform any.", no_args_is_help=True
)


@app.command("list")
def list_vectors(names: list[str] | None = None, *, as_json: bool = False) -> None:
    """List the published vectors that can be fetched by name, and which are on this machine.

    With names, say what is known of each: address, size, hash, licence, what to cite, and the path
    on this machine.

    Parameters
    ----------
    names : NAME...
        Names of published vectors.
    """
    from eatlas.sources.published import (  # noqa: PLC0415
        find,
        published_vectors,
        size_text,
    )

    entries = [find(name) for name in names] if names else published_vectors()
    with output_of_a_command():
        if as_json:
            print_json(map(_values, entries))
            return
        rows = []
        for entry in entries:
            what, size = entry.vectors.what, entry.download.size
            dim = f"{entry.vectors.dim or '?'} d" if what == "vectors" else what
            if names:
                _print_entry(entry, size_text(size) if size else "?")
            here, total = "here" if entry.target.exists() else "-", size_text(size) if size else "?"
            rows.append((entry.name, dim, total, here, entry.vectors.title))
        if not names:
            print_rows(rows, "lrrll", least=(0, 6, 7, 4))


@app.command("fetch")
def fetch(names: list[str]) -> None:
    """Download published vectors, check them, and unpack them.

    They are saved in the cache folder of the system, or in the folder of the environment variable
    EATLAS_DATA. An interrupted download continues where it stopped.

    Parameters
    ----------
    names : NAME...
        Names that eatlas vectors list shows; census is census-gender and census-race.
    """
    from eatlas.sources.published import fetch_vectors, find_all  # noqa: PLC0415

    # a wrong name is refused before gigabytes come for the others
    entries = [entry for name in names for entry in find_all(name)]
    for entry in entries:
        name = entry.name
        if entry.vectors.kind not in {"vectors", "series"}:
            licence = entry.download.licence or "none is stated; see the notes"
            remark(f"{name}: {entry.download.page}; licence: {licence}")
            for note in entry.download.notes:
                remark(f"{name}: {note}")
        with bar_of(name, size=True) as watch:
            path = fetch_vectors(name, watch=watch, say=remark)
        print_line(f"{name}: {path}")


@app.command("check")
def check(
    source: str = SAMPLE,
    *,
    residual: str | None = None,
    cost: list[str] | None = None,
) -> None:
    """Check whether cosines are meaningful in a space: anisotropy and rogue dimensions.

    Reads every vector of the source once. For a source that encodes texts, it encodes the texts of
    sent-caliskan, or of caliskan for vectors of words. Several layers (?layer=all) are shown side
    by side.

    With --residual, looks for a bias after a transform instead, by clusters, neighbours and a
    classifier (Gonen and Goldberg 2019), before and after it and beside 19 random directions, each
    after it is removed. This needs the extra probes.

    With --cost, shows what a transform costs, alone or beside --residual: how well cosines agree
    with people's scores of pairs of words, and how many analogies are answered, before and after.
    all is wordsim353, simlex999 and google-analogies, which come with the extra gensim.

    Exit codes: 0 done; 2 the source cannot be used.

    Parameters
    ----------
    source : [NAME=]SOURCE
        Vectors: a file or a name, as for eatlas run. Add ?transform=... to see what a remedy would
        do.
    residual : gender|race|religion|FILE.toml|TEST|own
        Word sets that define the bias that is looked for; own: those of the transform.
    cost : all|NAME|FILE
        Pairs with scores of people, or analogies; may be given several times.
    """
    from eatlas.sources.cost import OF_GENSIM, transform_cost  # noqa: PLC0415  (as below)

    sets = [name for each in cost or () for name in (OF_GENSIM if each == ALL else [each])]
    if residual is not None:
        from eatlas.sources.diagnosis import residual_bias  # noqa: PLC0415  (--help need not wait)

        bias = residual_bias(source, sets=None if residual == OWN else residual, cost=sets)
        with output_of_a_command():
            _print_residual(bias)
            if bias.cost:
                print_line("")
                _print_cost(bias.cost)
        return
    if sets:
        measured = transform_cost(source, sets)
        with output_of_a_command():
            print_line(f"{measured.source}")
            print_line("")
            _print_cost(measured)
        return
    from eatlas.sources.diagnosis import diagnose  # noqa: PLC0415  (--help need not wait)
    from eatlas.sources.opening import open_named  # noqa: PLC0415

    several = open_named(source)
    with bars() as watch:
        diagnoses = [
            diagnose(
                named.source,
                tell=None if watch is None else watch("texts by", named.name or named.source.name),
            ).called(named.name)
            for named in several
        ]
    with output_of_a_command():
        from eatlas.cli.other_tables import print_diagnoses, print_diagnosis  # noqa: PLC0415

        if len(diagnoses) == 1:
            print_diagnosis(diagnoses[0])
        else:
            print_diagnoses(diagnoses)


@app.command("transform")
def transform(source: str, *, out: Path) -> None:
    """Write the vectors of a source to a file, after its ?transform=...

    FILE.json beside it records source, fingerprint, transform and version. Numbers have single
    precision. The file appears only when it is complete.

    Exit codes: 0 done; 2 the source, the transform or the file cannot be used.

    Parameters
    ----------
    source : SOURCE
        Vectors as for eatlas run, with a transform: "glove.txt?transform=hard-debias:gender".
        Without a transform the file is only converted.
    out : -o, --out FILE
        The suffix chooses the format: .txt (GloVe), .vec (text of word2vec and fastText), .bin
        (word2vec binary) or .npz.
    """
    from eatlas.sources.writing import write_vectors  # noqa: PLC0415  (--help need not wait)

    replaced = " (an older file was replaced)" if out.exists() else ""
    with bar_of("words") as bar:
        note = write_vectors(source, out, tell=bar or Lines("words", SOON))
    with output_of_a_command():
        print_line(f"vectors: {out}{replaced}")
        print_line(f"origin:  {note}")


def _print_residual(bias: ResidualBias) -> None:
    """Print a row for each figure, what each is, and where it is beside chance."""
    meaning = {
        "projection": "mean cosine with the direction of the group; what debiasing targets",
        "clusters": f"{bias.clustered:,} most biased words in the cluster of their group",
        "neighbours": f"correlation of the bias of {bias.targets:,} targets and their neighbours",
        "classifier": f"accuracy on {bias.tested:,} biased words, trained on {bias.trained:,}",
    }
    rows = [("", "before", "after", "chance", f"{bias.directions} directions", "")]
    for name, figure in bias.figures().items():
        before, after, chance, lowest, highest = (
            f"{number + 0.0:.3f}".replace("-0.000", "0.000") for _, number in figure
        )
        ends = f"[{lowest}, {highest}]"
        rows.append((name, before, after, chance, ends, meaning[name]))
    print_line(f"{bias.source}: {', '.join(bias.groups)}; {bias.vocabulary:,} words")
    print_line("")
    print_rows(rows, "lrrrrl", least=(11, 6, 6, 6, 4))
    print_line("")
    for warning in bias.warnings:
        print_line(str(warning))


def _print_cost(cost: TransformCost) -> None:
    """Print a row for each set of pairs, then a table for each set of analogies."""
    from eatlas.numbers import effect, p_value  # noqa: PLC0415

    if cost.similarity:
        head = ("correlation with scores", "pairs", "before", "after", "95% interval of change")
        rows: list[tuple[str, ...]] = [head]
        for each in cost.similarity:
            ends = (effect(end, 3) for end in each.interval or (None, None))
            rho = effect(each.before, 3), effect(each.after, 3)
            rows.append((each.name, f"{each.pairs} of {each.of}", *rho, f"[{', '.join(ends)}]"))
        print_rows(rows)
        if any(each.interval is None for each in cost.similarity):
            print_line("–: fewer than 4 pairs have vectors, or their numbers are equal.")
    for i, answers in enumerate(cost.analogies):
        by_name = {f"{answers.name}, 3CosAdd": answers.add, "3CosMul": answers.mul}
        by_name |= {f"  {name}": share for name, share in answers.categories.items()}
        rows = [("analogies answered", "questions", "before", "after", "lost", "gained", "p")]
        for name, share in by_name.items():
            shares = effect(share.before, 3), effect(share.after, 3)
            counts = map(str, (share.questions, *shares, share.lost, share.gained))
            rows.append((name, *counts, p_value(share.p)))
        if i or cost.similarity:
            print_line("")
        print_rows(rows)
    if cost.analogies:
        print_line("")
        print_line("Questions share words: p is smaller than they warrant.")


def _values(entry: Published) -> dict[str, Any]:
    """All that is known, what is not as null."""
    path = entry.target
    vectors = entry.vectors.model_dump(mode="json")
    download = entry.download.model_dump(mode="json", exclude={"vectors"})
    return {
        "schema": "eatlas/published/1",
        **vectors,
        **download,
        "path": str(path) if path.exists() else None,
    }


def _print_entry(entry: Published, size: str) -> None:
    """Print what is known of published vectors; what is unknown says so."""
    from eatlas.sources.published import unproven  # noqa: PLC0415

    values = _values(entry)
    values["size"] = values["size"] and f"{values['size']:,} bytes ({size})"
    values["caution"] = values["hash"] and unproven(entry)
    values["path"] = values["path"] or f"no; eatlas vectors fetch {entry.name}"
    for key in KEYS:
        value = values.get(key) or ("unknown" if key in {"size", "hash", "licence"} else [])
        name = {"path": "here", "notes": "note"}.get(key, key)
        for text in value if isinstance(value, list | tuple) else [value]:
            print_line(f"{name + ':':<10} {text}")
