"""``eatlas cache``: what models computed and is stored on this machine."""

from __future__ import annotations

from eatlas.cli.messages import output_of_a_command, print_line
from eatlas.cli.options import Commands
from eatlas.encoders.cache import clear as remove
from eatlas.encoders.cache import contents
from eatlas.sources.download import size_text

app = Commands(
    help="List and clear the cache: vectors of encoders, answers of language models.",
    no_args_is_help=True,
)


@app.command("show")
def show() -> None:
    """Show where computed vectors and answers are stored, and how many of each source.

    They are in the cache folder of the system, or in the folder of the environment variable
    EATLAS_CACHE. If the model or the options of a source changed, it is listed twice, with two
    fingerprints.
    """
    cached = contents()
    with output_of_a_command():
        print_line(f"path:    {cached.folder}")
        print_line(f"size:    {size_text(cached.size) if cached.size else 'nothing is kept'}")
        if cached.damaged:
            print_line(f"damaged: {cached.damaged}; eatlas cache clear begins it anew")
        for model in cached.models:
            n, what = (model.answers, "answers") if model.answers else (model.vectors, "vectors")
            print_line(f"{what}: {n:,} of {model.name}")
            print_line(f"         {model.fingerprint}")


@app.command("clear")
def clear(source: str | None = None) -> None:
    """Remove computed vectors and answers; the next run computes them again.

    Parameters
    ----------
    source : [SOURCE]
        A source that eatlas cache show names. [default: all]
    """
    gone = remove(source)
    vectors, answers = sum(kept.vectors for kept in gone), sum(kept.answers for kept in gone)
    counts = [f"{vectors:,} vectors"] if vectors or not answers else []
    counts += [f"{answers:,} answers"] if answers else []
    with output_of_a_command():
        print_line(f"removed: {' and '.join(counts)}")
