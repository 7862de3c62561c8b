"""``eatlas cache``: what models computed and is kept on this machine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from eatlas.cli.messages import output_of_a_command, print_json, print_line
from eatlas.cli.options import Commands

if TYPE_CHECKING:
    from eatlas.encoders.cache_store import Contents, Kept

app = Commands(
    help="See and remove what is kept: vectors of encoders, answers of language models.",
    no_args_is_help=True,
)


@app.command("show")
def show(*, as_json: bool = False) -> None:
    """Show where computed vectors and answers are kept, and how many of each source.

    They are in the cache folder of the system, or in the folder of the environment variable
    EATLAS_CACHE. If the model or the options of a source changed, it is listed twice, with two
    fingerprints.

    Parameters
    ----------
    as_json : --json
        Print only JSON: one object.
    """
    from eatlas.encoders.cache_store import contents  # noqa: PLC0415

    cached = contents()
    with output_of_a_command():
        if as_json:
            print_json([_values(cached)])
            return
        _print(cached)


@app.command("clear")
def clear(source: str | None = None) -> None:
    """Remove computed vectors and answers; the next run computes them again.

    Parameters
    ----------
    source : [SOURCE]
        A source that eatlas cache show names. [default: all]
    """
    from eatlas.encoders.cache_store import clear as remove  # noqa: PLC0415

    gone = remove(source)
    with output_of_a_command():
        print_line(f"removed: {_counted(gone)}")


def _counted(gone: Iterable[Kept]) -> str:
    """Say how many vectors and answers there were.

    >>> _counted([])
    '0 vectors'
    """
    gone = list(gone)
    vectors, answers = sum(one.vectors for one in gone), sum(one.answers for one in gone)
    counts = [f"{vectors:,} vectors"] * bool(vectors or not answers)
    return " and ".join([*counts, *[f"{answers:,} answers"] * bool(answers)])


def _values(cached: Contents) -> dict[str, object]:
    """What is kept, by source, as an object of JSON."""
    models = [
        {
            "source": m.name, "fingerprint": m.fingerprint, "vectors": m.vectors,
            "answers": m.answers, "bytes": m.bytes,
        }
        for m in cached.models
    ]  # fmt: skip
    return {
        "schema": "eatlas/cache/1",
        "path": str(cached.folder),
        "bytes": cached.size,
        "damaged": cached.damaged,
        "sources": models,
    }


def _print(cached: Contents) -> None:
    """Print the folder, its size, and what each source has in it."""
    from eatlas.sources.published import size_text  # noqa: PLC0415

    print_line(f"path:    {cached.folder}")
    print_line(f"size:    {size_text(cached.size) if cached.size else 'nothing is kept'}")
    if cached.damaged:
        print_line(f"damaged: {cached.damaged}; eatlas cache clear begins it anew")
    for model in cached.models:
        counts = f"answers: {model.answers:,}" if model.answers else f"vectors: {model.vectors:,}"
        print_line(f"{counts} of {model.name}")
        print_line(f"         {model.fingerprint}")
