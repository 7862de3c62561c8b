"""``eatlas diagnose``: whether cosines mean anything in a source."""

from __future__ import annotations

from eatlas.cli.messages import output_of_a_command, print_json
from eatlas.cli.progress import bars
from eatlas.errors import EatlasError

DEFAULT = "glove-sample"


def diagnose(
    source: str | None = None,
    *,
    vectors: str | None = None,
    as_json: bool = False,
    tests: list[str] | None = None,
    sample: int = 10_000,
    seed: int = 0,
) -> None:
    """Check whether cosines are meaningful in a space: anisotropy, rogue dimensions, hubness.

    Reads every vector of the source once. For a source that encodes texts, it encodes the texts of
    tests. Several layers (?layer=all) are shown side by side.

    Exit codes: 0 done; 2 the source cannot be used.

    Parameters
    ----------
    source : [NAME=]SOURCE
        Vectors: a file or a name, as for eatlas run. Add ?transform=... to see what a remedy would
        do. Default: glove-sample.
    vectors : [NAME=]SOURCE
        The same, as an option.
    as_json : --json
        Print only JSON, one object for each source.
    tests : ID|BATTERY|FILE.toml
        For a source that encodes texts: tests whose texts are encoded. May be repeated. [default:
        sent-caliskan; caliskan for vectors of words]
    sample : N >= 2
        Number of random vectors for hubness. All other figures use every vector.
    seed : N >= 0
        Seed of that sample.
    """
    from eatlas.sources.diagnosis import diagnose as look  # noqa: PLC0415  (--help need not wait)
    from eatlas.sources.naming import open_named  # noqa: PLC0415

    several = open_named(_one_of(source, vectors))
    with bars() as watch:
        found = [
            look(
                one.source,
                tests=tests or None,
                sample=sample,
                seed=seed,
                tell=None if watch is None else watch("texts by", one.called),
            ).called(one.name)
            for one in several
        ]
    with output_of_a_command():
        if as_json:
            print_json(one.to_dict() for one in found)
            return
        from eatlas.cli.figures import print_diagnoses, print_diagnosis  # noqa: PLC0415

        if len(found) == 1:
            print_diagnosis(found[0])
        else:
            print_diagnoses(found)


def _one_of(source: str | None, vectors: str | None) -> str:
    if source is not None and vectors is not None:
        raise EatlasError(
            "one source is diagnosed at a time",
            got=f"{source} and --vectors {vectors}",
            remedy="give it once, with or without --vectors",
        )
    return source or vectors or DEFAULT
