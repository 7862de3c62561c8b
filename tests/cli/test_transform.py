"""``eatlas transform``: a file of vectors as their transform leaves them."""

import json

import numpy as np

import eatlas


def test_a_debiased_file_and_its_note(eatlas_cli, tmp_path):
    spec = "glove-sample?transform=hard-debias:gender"
    ended = eatlas_cli("transform", spec, "--out", "new/debiased.vec")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines() == [
        "vectors: new/debiased.vec (10,496 words)",
        "origin:  new/debiased.vec.json",
    ]
    note = json.loads((tmp_path / "new" / "debiased.vec.json").read_text("utf-8"))
    assert (note["source"], note["words"]) == (spec, 10_496)
    wanted = eatlas.open_vectors(spec).lookup(["nurse"])["nurse"]
    found = eatlas.open_vectors(tmp_path / "new" / "debiased.vec").lookup(["nurse"])["nurse"]
    assert (found == wanted.astype(np.float32)).all()


def test_mistakes_end_with_2_and_write_nothing(eatlas_cli, tmp_path):
    for source, out, said in (
        ("glove-sample?transform=hard-debais:gender", "v.vec", "did you mean hard-debias?"),
        ("glove-sample?transform=hard-debias:gendre", "v.vec", "did you mean gender?"),
        ("glove-sample", "v.docx", "the suffix names no format"),
        ("nowhere.txt", "v.vec", "there is no such file"),
    ):
        ended = eatlas_cli("transform", source, "--out", out)
        assert ended.code == 2
        assert said in ended.err
        assert ended.out == ""
    assert list(tmp_path.iterdir()) == []
