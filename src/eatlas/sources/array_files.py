"""Arrays and tables with a word for each row, which a library reads at once.

``.npy``, ``.npz``, safetensors, HDF5, Parquet, CSV and TSV, features of images, gensim, fastText.
"""

from __future__ import annotations

import csv
import hashlib
import io
import pickle
import re
import warnings
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open

from eatlas.decoding import check_growth, check_parquet_growth, decode_utf8, json_value
from eatlas.errors import SourceError, listing
from eatlas.lazy import import_pandas
from eatlas.notes import Note
from eatlas.sources.archives import (
    Content,
    Stamp,
    faults_of_library,
    library,
    locate,
    npz_arrays,
)
from eatlas.sources.memory import ArraySource
from eatlas.sources.source import Vector, require_usable
from eatlas.sources.spec import check_options, choice, model_scheme
from eatlas.sources.word2vec import HEAD_BYTES, is_number
from eatlas.stimuli.images import image_sets
from eatlas.stimuli.languages import fold_case
from eatlas.untrusted import require_trust

Options = Mapping[str, str]
_BESIDE = (".vocab", ".vocab.txt", ".vocab.json")
_HEADS = {"", "word", "words", "term"}
_NUMBER = re.compile(r"u?int\d+|float|double|halffloat")
_LIST = re.compile(r".*list<.*: (float|double|halffloat)\b.*")
"""Types of Parquet."""
_OF_IMAGES = {"img", "image", "file", "filename", "path"}
"""Headers of a last column that names images, in a table of their features."""
_SEPARATORS = ";,\t"
"""Between cells; the one that a line has most of, and of as many the first."""
_COMMA = re.compile(rb";-?\d+,\d")
"""A number with a decimal comma, in a table with semicolons."""
_WITH_COMMA = re.compile(r"[-+]?\d+(,\d+)?([eE][-+]?\d+)?")


class MatrixSource(ArraySource):
    """Words with rows of an array, of files; a mapped array is read where it is needed."""

    def __init__(
        self, words: Sequence[str], array: NDArray[Any], *, name: str, files: Sequence[Path]
    ) -> None:
        super().__init__(words, array, name=name)
        self._stamps = [(path, Stamp.of(path)) for path in files]

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the bytes of the file; of several, of their hashes."""
        hashes = []
        for path, stamp in self._stamps:
            with path.open("rb") as file:
                hashes.append(hashlib.file_digest(file, "sha256").hexdigest())
            stamp.check(path)
        joint = hashlib.sha256("\n".join(hashes).encode()).hexdigest()
        return f"sha256:{hashes[0] if len(hashes) == 1 else joint}"

    def floats(self, rows: Any) -> NDArray[np.floating]:
        """Some rows in floating point, finite."""
        for path, stamp in self._stamps:  # to touch a mapped file that was cut ends the process
            stamp.check(path)
        part = super().floats(rows)
        if isinstance(rows, slice):
            require_usable(part, self.name, self._words[rows])
        return part


def part_of(
    label: str, what: str, parts: Mapping[str, object], fit: Collection[str], name: str | None
) -> str:
    """The part of a file that holds something: the one with the name, or the only one that can."""
    chosen = [key for key in fit if key == (name or what)] or ([] if name else list(fit))
    if len(chosen) == 1:
        return chosen[0]
    raise SourceError(
        f"{label}: no single array of this file contains the {what}",
        got=name or listing(f"{key} ({facts})" for key, facts in parts.items()) or "nothing",
        allowed=listing(fit) or ("strings" if what == "words" else "numbers"),
        remedy=f"name it: {label}?{what}=NAME",
    )


# --- numpy, safetensors, HDF5 ---------------------------------------------------------------------


def open_npy(content: Content, options: Options, name: str) -> MatrixSource:
    """Open an array and the vocabulary that belongs to it."""
    return array_with_words(content.path, options.get("vocab"), name)


def array_with_words(path: Path, vocabulary: str | None, name: str) -> MatrixSource:
    """Map an array whose words are in a file of their own."""
    Stamp.of(path)
    with faults_of_library(path, "this array"):
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    words = find_vocabulary_file(path, vocabulary)
    return MatrixSource(read_vocabulary(words), array, name=name, files=(path, words))


def open_npz(content: Content, options: Options, name: str) -> MatrixSource:
    """Open an array of vectors, and one of words or a vocabulary."""
    path, what = content.path, "an array in it (save words with np.array(words, dtype='U'))"
    arrays = npz_arrays(path, what)
    with faults_of_library(path, what):
        return _of_parts(path, arrays, options, name)


def _of_parts(path: Path, parts: Mapping[str, Any], options: Options, name: str) -> MatrixSource:
    """The only matrix of numbers among some arrays, and as many texts, or a vocabulary."""
    label, files = str(path), [path]
    kinds = {key: f"{part.dtype}, shape {part.shape}" for key, part in parts.items()}
    matrices = [k for k, part in parts.items() if part.dtype.kind in "fiu" and part.ndim == 2]
    rows = parts[part_of(label, "vectors", kinds, matrices, options.get("vectors"))][()]
    texts = [k for k, a in parts.items() if a.dtype.kind in "USO" and a.shape == rows.shape[:1]]
    if "vocab" in options or not (texts or "words" in options):
        files.append(find_vocabulary_file(path, options.get("vocab")))
        words = read_vocabulary(files[1])
    else:
        column = parts[part_of(label, "words", kinds, texts, options.get("words"))][()].tolist()
        words = [word.decode() if isinstance(word, bytes) else word for word in column]
    return MatrixSource(words, rows, name=name, files=files)


def open_safetensors(content: Content, options: Options, name: str) -> MatrixSource:
    """Read a tensor of vectors; the vocabulary belongs to it."""
    path = content.path
    with (
        faults_of_library(path, "this safetensors file"),
        safe_open(path, framework="numpy") as file,
    ):
        shapes = {key: file.get_slice(key).get_shape() for key in file.keys()}  # noqa: SIM118
        matrices = [key for key, shape in shapes.items() if len(shape) == 2]
        folder = path.parent
        if len(matrices) > 1 and not options and model_scheme(folder):
            raise SourceError(f"{path}: weights of a model", remedy=f"the model itself: {folder}")
        key = part_of(str(path), "tensor", shapes, matrices, options.get("tensor"))
        array = file.get_tensor(key)
    words = find_vocabulary_file(path, options.get("vocab"))
    return MatrixSource(read_vocabulary(words), array, name=name, files=(path, words))


def open_hdf5(content: Content, options: Options, name: str) -> MatrixSource:
    """Open an array with as many strings, or a vector for each name, as sent-bias stores them."""
    path = content.path
    h5py = library("h5py", str(path), "HDF5")
    sets: dict[str, Any] = {}
    with faults_of_library(path, "this HDF5 file"), h5py.File(path) as file:
        # links to other files are not followed
        file.visititems(
            lambda key, item: sets.update({key: item} if hasattr(item, "dtype") else {})
        )
        if any(item.is_virtual or item.external for item in sets.values()):
            raise SourceError(f"{path}: a data set of this file is stored in other files")
        check_growth(str(path), sum(item.nbytes for item in sets.values()), content.stamp.size)
        numbers = {key: item for key, item in sets.items() if item.dtype.kind in "fiu"}
        flat = all(item.size == max(item.shape or (0,)) for item in numbers.values())
        if options or not numbers or not flat:
            return _of_parts(path, sets, options, name)
        # below the group of the term; a slash in a sentence makes more groups
        words = [key.partition("/")[2] or key for key in numbers]
        rows = np.stack([np.ravel(item[()]) for item in numbers.values()])
    return MatrixSource(words, rows, name=name, files=(path,))


# --- vocabularies ---------------------------------------------------------------------------------


def find_vocabulary_file(path: Path, name: str | None) -> Path:
    """The vocabulary of a file: the given one, or ``NAME.vocab`` in the same folder."""
    places = [Path(name), path.parent / name] if name else [path.with_suffix(e) for e in _BESIDE]
    for candidate in places:
        if candidate.is_file():
            return candidate
    got = name or f"no {places[0].name} next to it"
    remedy = f"name a file with one word a line: {path}?vocab=FILE"
    raise SourceError(f"{path}: the vocabulary is missing", got=got, remedy=remedy)


def read_vocabulary(path: Path) -> list[str]:
    """Words of the rows: one a line; JSON, a list or a dict to rows; HistWords' pickled list."""
    Stamp.of(path)
    data, suffix = path.read_bytes(), path.suffix.lower()
    if suffix not in {".json", ".pkl", ".pickle"}:
        text = decode_utf8(data, str(path), SourceError).replace("\r\n", "\n")
        return text.removesuffix("\n").split("\n")
    words: Any = None
    with suppress(Exception):  # whatever a damaged file makes of it
        of_json = suffix == ".json"
        words = json_value(data) if of_json else _Words(io.BytesIO(data), encoding="utf-8").load()
        if isinstance(words, dict):
            by_row = {row: word for word, row in words.items()}
            words = [by_row[row] for row in range(len(words))]
    if isinstance(words, list) and all(isinstance(word, str) for word in words):
        return words
    raise SourceError(
        f"{path}: not a list of words",
        allowed="one word per line; a list as JSON, or a dict to the rows 0, 1, 2, ...; a pickled "
        "list of texts, as HistWords publishes them, in which nothing is run",
    )


class _Words(pickle._Unpickler):  # that of C takes any instruction
    """Reads texts and lists; any other instruction of pickles, above all code, is not known."""

    dispatch: ClassVar = {
        code: pickle._Unpickler.dispatch[code] for code in b"\x80\x95qrp\x94]l(aeXUTVS.\x8c\x8d"
    }


# --- CSV, TSV and Parquet -------------------------------------------------------------------------


def open_table(content: Content, options: Options, name: str) -> MatrixSource:
    """Open a CSV or TSV file: a term and its numbers a row, or numbers and the name of an image.

    If semicolons separate cells, decimals may have a comma: spreadsheets write them so in many
    countries.
    """
    words, rows = _parse_table(content, options.get("encoding", "utf-8"))
    return MatrixSource(words, rows, name=name, files=(content.path,))


def _first_cells(head: bytes) -> tuple[list[str], str]:
    """Cells of the first row that is not blank, and what separates them."""
    lines = head.decode("utf-8-sig", "replace").splitlines()
    line = next((line for line in lines if line.strip()), "")
    separator = max(_SEPARATORS, key=line.count)
    with io.StringIO(line) as text:
        return next(csv.reader(text, delimiter=separator), []), separator


def _parse_table(content: Content, encoding: str) -> tuple[list[str], NDArray[np.floating]]:
    """Words and vectors of a table."""
    pd = import_pandas()

    label = content.label
    head = content.head(HEAD_BYTES)
    first, separator = _first_cells(head)
    commas = separator == ";" and bool(_COMMA.search(head))
    if len(first) < 2:
        raise SourceError(f"{label}: not a table of words and numbers", got=str(first))
    images = first[-1].strip().lower() in _OF_IMAGES
    cells = [cell.replace(",", ".") if commas else cell for cell in first[1:]]
    titled = images or first[0].strip().lower() in _HEADS or not all(map(is_number, cells))
    column = len(first) - 1 if images else 0
    form: dict[str, Any] = {"sep": separator, "header": 0 if titled else None, "index_col": False}
    form |= {"dtype": {first[column] if titled else column: str}, "na_filter": False}
    form |= {"decimal": "," if commas else "."}
    try:
        with content.open() as raw, warnings.catch_warnings():
            warnings.simplefilter("error")  # of a row with more cells than the first
            frame = pd.read_csv(raw, encoding=encoding, low_memory=False, **form)
    except (ValueError, Warning) as error:
        remedy = "say what it is: ?encoding=latin-1" if isinstance(error, UnicodeError) else None
        raise SourceError(
            f"{label}: the table cannot be read", got=str(error)[:200], remedy=remedy
        ) from error
    if not len(frame):
        raise SourceError(f"{label}: the table has a header but no rows")
    words = frame.iloc[:, column].astype(str).tolist()
    # columns without a header next to the names of images are row numbers
    places = [k for k, cell in enumerate(first) if k != column and (cell.strip() or not images)]
    numbers = frame.iloc[:, places]
    try:
        if commas and len(numbers.select_dtypes(exclude="number").columns):
            raise ValueError("not all numbers have decimal commas")
        with np.errstate(over="ignore"):
            return words, numbers.to_numpy(np.float64).astype(np.float32)
    except ValueError as error:
        odd = numbers.map(partial(_is_odd, commas=commas)).to_numpy()
        row, column = np.argwhere(odd)[0]
        cell = numbers.iat[row, column]
        remedy = "for a table of counts, use --measure 'divdist(soa=counts)'"
        if commas:
            remedy = "write all decimals with a comma, and no mark for thousands, as in 1234,5"
        elif "," in str(cell):
            remedy = "write decimals with a point, as in 0.5, or have semicolons between all cells"
        raise SourceError(
            f"{label}, line {row + titled + 1}: a component is not a number",
            got=f"{cell!r}, in the row of {words[row]!r}",
            remedy=remedy,
        ) from error


def _is_odd(cell: object, *, commas: bool) -> bool:
    """Whether a cell is not a number; with decimal commas, a point may separate thousands."""
    if commas and isinstance(cell, str):
        return not _WITH_COMMA.fullmatch(cell)
    return not is_number(str(cell))


def open_parquet(content: Content, options: Options, name: str) -> MatrixSource:
    """Open a column of words, and the numbers in columns of their own or in one of lists."""
    path, label = content.path, str(content.path)
    parquet = library("pyarrow.parquet", label, "Parquet")
    with faults_of_library(path, "this Parquet file"):
        check_parquet_growth(path, parquet.read_metadata(path), content.stamp.size)
        kinds = {field.name: str(field.type) for field in parquet.read_schema(path)}
        texts = [key for key, kind in kinds.items() if "string" in kind]
        usual = [key for key in texts if key.lower() in _HEADS]
        words = part_of(label, "words", kinds, usual or texts, options.get("words"))
        lists = [key for key, kind in kinds.items() if _LIST.fullmatch(kind)]
        numbers = [key for key, kind in kinds.items() if _NUMBER.fullmatch(kind)]
        numbers = [key for key in numbers if not key.startswith("__index")]
        if lists or "vectors" in options:
            numbers = [part_of(label, "vectors", kinds, lists, options.get("vectors"))]
        # of a word in many rows the file has one copy, and so has the memory
        table = parquet.read_table(path, columns=[words, *numbers], read_dictionary=[words])
        column = table.column(words)
        if column.null_count:
            raise SourceError(f"{path}, column {words}: a word is missing")
        keys: list[str] = []
        for chunk in column.chunks:
            values = chunk.dictionary.to_pylist()
            keys += [values[row] for row in chunk.indices.to_pylist()]
        rows = table.select(numbers).to_pandas().to_numpy()
        if lists:
            rows = np.stack(rows[:, 0])
    return MatrixSource(keys, rows, name=name, files=(path,))


# --- tables of features of images -----------------------------------------------------------------

# The form is that of ``DataFrame.to_csv`` of a frame with a column of names, in which Steed and
# Caliskan (2021) publish features of iGPT and SimCLR: a row number, d numbers, ``img``. Of their
# folder of such tables, one for each concept and model, all of one model are one source.


def tables_in(folder: Path) -> dict[str, dict[str, Path]]:
    """Tables of features in a folder: by model and by the folder of the images."""
    tables: dict[str, dict[str, Path]] = {}
    for images in (images for image_set in image_sets().values() for images in image_set.folders):
        start = f"{images.replace('/', '_')}_"
        for path in sorted(folder.glob(f"{start}*.csv")):
            tables.setdefault(path.stem.removeprefix(start), {})[images] = path
    return tables


def open_folder(folder: Path, options: Options, name: str) -> MatrixSource:
    """Open all tables of one model in a folder; images are keyed by folder and name."""
    check_options(options, ("model",), str(folder))
    models = tables_in(folder)
    chosen = options.get("model") or (next(iter(models)) if len(models) == 1 else "")
    if chosen not in models:
        raise SourceError(
            f"{folder}: " + (f"no tables of the model {chosen!r}" if chosen else "several models"),
            allowed=f"?model= and one of {listing(sorted(models))}",
        )
    words: list[str] = []
    blocks = []
    for images, path in models[chosen].items():
        names, rows = _parse_table(locate(path), "utf-8")
        words += [f"{images}/{image}" for image in names]
        blocks.append(rows)
    with faults_of_library(folder, f"a table of {chosen}"):  # of vectors of another length
        array = np.concatenate(blocks)
    return MatrixSource(words, array, name=name, files=tuple(models[chosen].values()))


# --- gensim and fastText --------------------------------------------------------------------------


def open_gensim(content: Content, options: Options, name: str) -> MatrixSource:
    """Open vectors that gensim saved: a pickle, which runs what its writer put into it."""
    path = content.path
    require_trust(f"open {path}, a pickle that can run code of its author")
    if options.get("trust") != "yes":
        raise SourceError(
            f"{path}: gensim saved this file as a pickle, which can run code of its author",
            remedy=f"if you trust it: {path}?trust=yes; or save it in gensim with "
            "save_word2vec_format(..., binary=True)",
        )
    utils = library("gensim.utils", str(path), "what gensim saved", "pip install 'eatlas[gensim]'")
    with faults_of_library(path, "what gensim saved"):
        keyed = utils.SaveLoad.load(str(path), mmap="r")
        keyed = getattr(keyed, "wv", keyed)
        return _open_keyed(
            keyed, [path, *sorted(path.parent.glob(f"{path.name}.*.npy"))], options, name
        )


def open_fasttext(content: Content, options: Options, name: str) -> MatrixSource:
    """Open a model of fastText."""
    path, install = content.path, "pip install 'eatlas[gensim]'"
    fasttext = library("gensim.models.fasttext", str(path), "fastText's .bin", install)
    with faults_of_library(path, "this model of fastText"):
        return _open_keyed(fasttext.load_facebook_vectors(str(path)), [path], options, name)


def _open_keyed(keyed: Any, files: Sequence[Path], options: Options, name: str) -> MatrixSource:
    """The source of gensim's KeyedVectors."""
    subwords = choice(options.get("oov", "none"), ("none", "subword"), "oov", name) == "subword"
    if subwords and not (getattr(keyed, "bucket", 0) and getattr(keyed, "max_n", 0)):
        raise SourceError(f"{name}: this model has no subword vectors", got="oov=subword")
    kind = SubwordSource if subwords else MatrixSource
    source = kind(list(keyed.index_to_key), keyed.vectors, name=name, files=files)
    source.ordered = True
    if isinstance(source, SubwordSource):
        source.keyed = keyed
    return source


class SubwordSource(MatrixSource):
    """A model of fastText that also gives words outside its vocabulary a vector, of n-grams."""

    keyed: Any
    composed: frozenset[str] = frozenset()

    @property
    def notes(self) -> tuple[Note, ...]:
        """Duplicates, and words whose vector was made of n-grams."""
        if not self.composed:
            return super().notes
        values = {"source": self.name, "words": sorted(self.composed), "most": 10}
        return (*super().notes, Note("coverage.subwords", values=values))

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of those keys that have one, or can be given one."""
        vectors = dict(super().lookup(keys))
        spelled = set(map(fold_case, vectors))
        # what holds a space is a phrase or a sentence: no n-gram with a space was ever trained; the
        # others stand in keys of phrases, and of vectors of several languages
        for key in (key for key in keys if not any(c.isspace() or c in "_/:" for c in key)):
            if fold_case(key) in spelled or not (vector := self.keyed.get_vector(key)).any():
                continue
            require_usable(vector, f"{self.name}, the n-grams of {key!r}")
            vectors[key] = vector
            self.composed |= {fold_case(key)}
        return vectors
