"""``eatlas transform``: vectors written to a file, as a transform leaves them."""

from __future__ import annotations

from pathlib import Path

from eatlas.cli.messages import output_of_a_command, print_line
from eatlas.cli.progress import Lines, bar_of

SOON = 20.0
"""Seconds before the first line of progress where no bar is shown."""


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
        (word2vec binary), .npz, or .safetensors with NAME.vocab.txt.
    """
    from eatlas.sources.writing import write_vectors  # noqa: PLC0415  (--help need not wait)

    written = 0

    with bar_of("words") as bar:
        shown = bar or Lines("words", SOON)

        def tell(done: int, total: int | None) -> None:
            nonlocal written
            written = done
            shown(done, total)

        note = write_vectors(source, out, tell=tell)
    with output_of_a_command():
        print_line(f"vectors: {out} ({written:,} words)")
        print_line(f"origin:  {note}")
