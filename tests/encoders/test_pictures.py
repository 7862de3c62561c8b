"""Image files: pixels of every mode as a person sees them, and files that are no images."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tests.tiny_vision import draw

from eatlas.encoders.images import decode_image, open_pictures, read_head
from eatlas.errors import SourceError
from eatlas.sources.source import Item

RED, WHITE = (200, 30, 30), (255, 255, 255)


def pixels(path: Path) -> np.ndarray:
    image = decode_image(read_head(path))
    assert image.mode == "RGB"
    return np.asarray(image)


def fault(path: Path) -> str:
    with pytest.raises(SourceError) as raised:
        decode_image(read_head(path))
    return str(raised.value)


def corner(size=(6, 4), mode="RGB", fill=RED, rest=WHITE) -> Image.Image:
    """White with one pixel of another colour at the top left."""
    image = Image.new("RGB", size, rest)
    image.putpixel((0, 0), fill)
    return image.convert(mode)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_is_turned_upright(tmp_path, orientation):
    """The stored pixels of each orientation, by hand: where the red corner comes to lie."""
    image, exif = corner(), Image.Exif()
    exif[0x0112] = orientation
    image.save(tmp_path / "turned.png", exif=exif)
    red = np.argwhere((pixels(tmp_path / "turned.png") == RED).all(axis=2))
    top, left, bottom, right = 0, 0, 3, 5
    expected = {
        1: (top, left), 2: (top, right), 3: (bottom, right), 4: (bottom, left),
        5: (0, 0), 6: (0, 3), 7: (5, 3), 8: (5, 0),
    }  # fmt: skip
    assert red.tolist() == [list(expected[orientation])]


def test_palette_and_gray_are_spelled_out(tmp_path):
    corner(mode="P").save(tmp_path / "palette.png")
    corner().convert("P", palette=Image.Palette.ADAPTIVE).save(tmp_path / "adaptive.gif")
    corner(mode="L").save(tmp_path / "gray.png")
    corner(mode="1").save(tmp_path / "bits.png")
    assert pixels(tmp_path / "adaptive.gif")[0, 0].tolist() == list(RED)
    palette = corner(mode="P").convert("RGB").getpixel((0, 0))
    assert pixels(tmp_path / "palette.png")[0, 0].tolist() == list(palette)
    gray = corner(mode="L").getpixel((0, 0))
    assert pixels(tmp_path / "gray.png")[0, 0].tolist() == [gray] * 3
    assert pixels(tmp_path / "bits.png")[0, 0].tolist() == [0, 0, 0]
    assert pixels(tmp_path / "bits.png")[1, 1].tolist() == [255, 255, 255]


def test_cmyk_is_colour(tmp_path):
    Image.new("CMYK", (2, 2), (0, 255, 255, 0)).save(tmp_path / "cmyk.tiff")
    assert pixels(tmp_path / "cmyk.tiff")[0, 0].tolist() == [255, 0, 0]
    Image.new("CMYK", (8, 8), (255, 0, 0, 0)).save(tmp_path / "cmyk.jpg", quality=95)
    assert np.abs(pixels(tmp_path / "cmyk.jpg")[4, 4].astype(int) - [0, 255, 255]).max() <= 3


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P"])
def test_what_is_transparent_is_white(tmp_path, mode):
    """Hidden behind full transparency is red, which nobody sees."""
    if mode == "P":
        image = corner().convert("P", palette=Image.Palette.ADAPTIVE)
        image.save(tmp_path / "clear.png", transparency=image.getpixel((0, 0)))
    else:
        image = corner().convert("RGBA")
        image.putpixel((0, 0), (*RED, 0))
        image.convert(mode).save(tmp_path / "clear.png")
    assert read_head(tmp_path / "clear.png").transparent
    assert pixels(tmp_path / "clear.png")[0, 0].tolist() == [255, 255, 255]


def test_sixteen_bits_become_eight(tmp_path):
    """Pillow by itself cuts off what is above 255, and all would be white."""
    values = np.array([[0, 257, 32768], [65535, 300, 128]], np.uint16)
    Image.fromarray(values).save(tmp_path / "deep.png")
    Image.fromarray(values).save(tmp_path / "deep.tiff")
    for name in ("deep.png", "deep.tiff"):
        assert pixels(tmp_path / name)[..., 0].tolist() == [[0, 1, 128], [255, 1, 0]]


def test_measurements_are_no_colours(tmp_path):
    Image.fromarray(np.full((2, 2), 0.5, np.float32)).save(tmp_path / "float.tiff")
    Image.fromarray(np.full((2, 2), 70000, np.int32)).save(tmp_path / "wide.tiff")
    assert (
        "the pixel values of this image are not colours\n  got: numbers from 0.5 to 0.5"
        in fault(tmp_path / "float.tiff")
    )
    assert "numbers from 70000 to 70000" in fault(tmp_path / "wide.tiff")


@pytest.mark.parametrize("form", ["gif", "tiff"])
def test_of_several_frames_the_first_is_taken(tmp_path, form):
    path = tmp_path / f"moving.{form}"
    frames = [Image.new("RGB", (5, 4), colour) for colour in ("navy", "gold", "teal")]
    frames[0].save(path, save_all=True, append_images=frames[1:])
    assert read_head(path).several
    assert pixels(path)[0, 0].tolist() == [0, 0, 128]


def test_files_of_the_same_bytes_are_one_picture(tmp_path):
    first = draw(tmp_path / "a.png")
    (tmp_path / "b.png").write_bytes(first.read_bytes())
    other = draw(tmp_path / "c.png", 1)
    items = [Item(str(tmp_path / name), kind="image") for name in ("c.png", "b.png", "a.png")]
    found = open_pictures([*items, Item(str(first), kind="image", name="again")])
    assert [picture.path for picture, _ in found.values()] == [first, other]
    assert [len(answers) for _, answers in found.values()] == [3, 1]


def test_a_file_that_has_changed(tmp_path):
    path = draw(tmp_path / "a.png")
    item = Item(str(path), kind="image", sha256=read_head(path).content)
    open_pictures([item])
    draw(path, 3)
    with pytest.raises(SourceError) as raised:
        open_pictures([item])
    assert "the image has changed since its test was loaded\n  got: SHA-256" in str(raised.value)


@pytest.mark.parametrize(
    "data",
    [b"", b"<!DOCTYPE html><p>Not found", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n"],
)
def test_what_is_no_image(tmp_path, data):
    """PostScript among it: Pillow would run another program for it."""
    path = tmp_path / "rose.jpg"
    path.write_bytes(data)
    said = fault(path)
    assert said.startswith(f"{path}: the image cannot be decoded\n  got: UnidentifiedImageError: ")
    assert "allowed: an image file: JPEG, PNG, GIF, WebP, TIFF, BMP" in said


@pytest.mark.parametrize("form", ["jpg", "png"])
def test_a_truncated_file(tmp_path, form):
    whole = draw(tmp_path / f"whole.{form}", size=(300, 200)).read_bytes()
    path = tmp_path / f"cut.{form}"
    path.write_bytes(whole[: len(whole) * 2 // 3])
    said = fault(path)
    assert said.startswith(f"{path}: the image cannot be decoded\n  got: ")
    assert "remedy: fetch the file again" in said


def bomb(path: Path, width: int, height: int) -> Path:
    """Write a PNG of a few hundred bytes whose head promises so many pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    body = chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + head + body)
    return path


@pytest.mark.parametrize("size", [(10_000, 10_000), (50_000, 50_000), (2**31 - 1, 2**31 - 1)])
def test_a_decompression_bomb(tmp_path, size):
    """Pillow warns of the first and refuses the others; here all are errors."""
    assert Image.MAX_IMAGE_PIXELS == 89_478_485, "the guard is on"
    assert f"got: DecompressionBomb{'Warning' if size[0] == 10_000 else 'Error'}" in fault(
        bomb(tmp_path / "bomb.png", *size)
    )
