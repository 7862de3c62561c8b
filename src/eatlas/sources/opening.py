"""From a source string, or an object that holds vectors, to a source and its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from glob import escape, glob
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from eatlas.errors import EatlasError, SourceError, described, listing, nearest
from eatlas.paths import is_there
from eatlas.plugins import absent, call_point, is_own, points, unusable
from eatlas.results.settings import source_catalogue
from eatlas.sources.frames import from_frame, is_frame
from eatlas.sources.frequency_order import OPTION as COUNTS
from eatlas.sources.frequency_order import CountedOrder, CountedSource
from eatlas.sources.memory import BUNDLED, ArraySource, from_keyed, from_mapping, open_bundled
from eatlas.sources.source import Source, as_source, is_source
from eatlas.sources.spec import (
    PROMPT,
    PROMPTS,
    SUFFIXES,
    FileSpec,
    check_options,
    choice,
    file_like,
    load,
    model_scheme,
    parse_file_spec,
    take_option,
)

if TYPE_CHECKING:
    from gensim.models import KeyedVectors
    from model2vec import StaticModel
    from narwhals.typing import IntoFrame
    from numpy.typing import ArrayLike
    from sentence_transformers import SentenceTransformer
    from transformers import Pipeline, PreTrainedModel, PreTrainedTokenizerBase

VectorsLike: TypeAlias = (
    "str | Path | Source | Mapping[str, ArrayLike] | tuple[Sequence[str], ArrayLike] "
    "| IntoFrame | KeyedVectors | SentenceTransformer | Pipeline | StaticModel "
    "| tuple[PreTrainedModel, PreTrainedTokenizerBase] | Callable[[list[str]], ArrayLike]"
)
"""What :func:`open_vectors` opens: a source string, a source, words with their vectors, a model
that encodes texts, or a function that does."""
Opener = Callable[[str], Any]
"""From a whole source string, its scheme and options included, to a source, or a tuple of some."""
SCHEMES: dict[str, str | Opener] = {
    "clip": "eatlas.encoders.transformer:open_clip",
    "hf": "eatlas.encoders.transformer:open_hf",
    "py": "eatlas.encoders.functions:open_py",
    "st": "eatlas.encoders.sentence_model:open_st",
}
"""By the scheme without its colon: the place of an opener, imported when it is used. Other packages
add theirs as entry points of the group ``eatlas.schemes``."""
SCHEME_POINTS = "eatlas.schemes"
_WORDS, _FRAMES = "eatlas.sources.memory", "eatlas.sources.frames"
_MODELS = "eatlas.encoders.objects"
PIPELINE, PART = f"{_MODELS}:encoder", f"{_MODELS}:refuse_part"
OBJECTS: dict[str, str] = {
    "datasets.DatasetDict": f"{_FRAMES}:refuse_splits",
    "datasets.IterableDataset": f"{_FRAMES}:refuse_splits",
    "datasets.IterableDatasetDict": f"{_FRAMES}:refuse_splits",
    "gensim.KeyedVectors": f"{_WORDS}:from_keyed",
    "model2vec.StaticModel": f"{_MODELS}:StaticObject",
    "sentence_transformers.SentenceTransformer": f"{_MODELS}:SentenceObject",
    "spacy.BaseVectors": f"{_WORDS}:from_spacy",
    "spacy.Language": f"{_WORDS}:from_spacy",
    "spacy.Vocab": f"{_WORDS}:from_spacy",
    "torch.Module": PART,
    "transformers.Pipeline": PIPELINE,
    "transformers.PreTrainedModel": PART,
    "transformers.PreTrainedTokenizerBase": PART,
}
"""By package and class, that of an object or one that it derives from: the place of an opener,
which takes the object. Tensors are not among them: alone they have no words. Other packages add
theirs as entry points of the group ``eatlas.objects``."""
OBJECT_POINTS = "eatlas.objects"
BY_NAME: dict[str, Callable[[], Source]] = {name: partial(open_bundled, name) for name in BUNDLED}
ENTRY_POINTS = "eatlas.sources"
TRANSFORMS = "eatlas.sources.transforms:with_transform"
"""Imported when a transform is requested."""
OF_ANY = ("transform", COUNTS)
"""Options that any source takes."""
CBOW = "cbow:"
"""Before a source of words: texts are the mean of their words."""
_SCHEME = re.compile(r"[a-z][a-z0-9+]+:(//|(?!.*\.))", re.ASCII)
"""Such as hf:bert-base-uncased or https://...; a name with a full stop may be that of a file."""
_HUB_NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*")
"""Such as sentence-transformers/all-MiniLM-L6-v2, which may be a path as well."""


def open_vectors(spec: VectorsLike) -> Source:
    """Open vectors.

    Parameters
    ----------
    spec : str, path or object
        A path to a file of vectors in any known format, with options after ``?`` and a member of
        an archive after ``#`` (``"vectors.npy?vocab=words.txt"``); the folder of a model that
        ``st:`` or ``hf:`` takes; the name of a source
        (``"glove-sample"``); ``cbow:`` before either of these, for sentences as the mean of their
        words (:class:`eatlas.sources.CBOWSource`); any of these with a transform
        (``"glove-sample?transform=center"``, see :func:`eatlas.transformed`); a mapping
        from words to vectors; a pair (words, array); a frame of pandas, polars, pyarrow or Hugging
        Face's datasets, with a column of words and numbers in the others or in one of lists; gensim
        ``KeyedVectors``, or a model that has them; spaCy's ``nlp``, ``nlp.vocab`` or
        ``nlp.vocab.vectors``; a ``SentenceTransformer``; a model of transformers with its
        tokenizer, ``(model, tokenizer)``, or a pipeline, which has both (:func:`eatlas.encoder`
        takes options); a model2vec ``StaticModel``; a function that takes a list of texts and
        returns a vector for each
        (:class:`eatlas.encoders.functions.FunctionSource`), or its place,
        ``"py:module:function"``; or a :class:`eatlas.sources.Source`, or anything that has its
        facts and ``lookup``.

    Returns
    -------
    Source

    Raises
    ------
    SourceError
        If there is no such source, or what it holds are not vectors.

    Examples
    --------
    >>> open_vectors({"up": [1.0, 0.0], "down": [0.0, 1.0]}).dim
    2
    """
    if isinstance(spec, str | Path):
        return _only_one(_open(str(spec)), str(spec))
    return as_source(spec) if is_source(spec) else _open_object(spec)


def _open_object(spec: Any) -> Source:
    """Open an object that holds vectors."""
    source: Source
    pair, opener = model_and_tokenizer(spec), opener_of(spec)
    if pair or opener:
        source = load(PIPELINE)(*pair) if pair else _open_by_class(spec, opener)
        return source
    if isinstance(spec, Mapping):
        return from_mapping(spec)
    if is_pair(spec):
        words, rows = spec
        return ArraySource(words.to_pylist() if hasattr(words, "to_pylist") else list(words), rows)
    if is_frame(spec, or_series=True):
        return from_frame(spec)
    if hasattr(spec, "wv") or hasattr(spec, "index_to_key"):  # gensim's models, and what is alike
        return from_keyed(spec)
    if callable(spec) and not isinstance(spec, type):
        source = load("eatlas.encoders.functions:FunctionSource")(spec)
        return source
    raise SourceError(
        "eatlas cannot open this object as vectors",
        got=described(spec),
        allowed="a path, a source name, a dict, (words, array), a frame, KeyedVectors, "
        "spaCy's nlp, a SentenceTransformer, (model, tokenizer), or a function of texts",
        remedy="pass the words as well: (words, array)" if hasattr(spec, "shape") else None,
    )


def _open_by_class(spec: Any, opener: str) -> Any:
    """Open an object by the opener of its class, of eatlas or of another package."""
    point = None if opener in OBJECTS.values() else _point_of_object(spec)
    return load(opener)(spec) if point is None else as_source(_of_package(point, spec))


def opener_of(spec: object) -> str:
    """Place of the opener of an object; empty where its class is none that is known.

    Classes are recognised by their names: no library is imported for objects of other libraries.
    """
    names = _class_names(spec)
    own = next((OBJECTS[name] for name in names if name in OBJECTS), "")
    point = None if own else _point_of_object(spec)
    return point.value if point else own


def _class_names(spec: object) -> list[str]:
    """Package and class of an object, and of what its class derives from."""
    return [f"{kind.__module__.partition('.')[0]}.{kind.__name__}" for kind in type(spec).__mro__]


def _point_of_object(spec: object) -> EntryPoint | None:
    """What another package adds to open an object."""
    added = points(OBJECT_POINTS, OBJECTS)
    return next((added[name] for name in _class_names(spec) if name in added), None)


def _opens_alone(spec: object) -> bool:
    """Whether a part of a tuple, or a value of a mapping, can be opened as vectors by itself."""
    if isinstance(spec, Mapping):  # numbers by name are a row of a table
        return not all(isinstance(number, int | float) for number in spec.values())
    if isinstance(spec, str | Path) or callable(spec) or is_source(spec) or is_pair(spec):
        return True
    marked = hasattr(spec, "wv") or hasattr(spec, "fingerprint")  # gensim's; a model
    return bool(opener_of(spec)) or marked or is_frame(spec)


def is_pair(spec: object) -> bool:
    """Whether this is (words, array) or (model, tokenizer); other tuples list several sources.

    >>> is_pair((["up", "down"], [[1, 0], [0, 1]])), is_pair(("glove-sample", "mine.txt"))
    (True, False)
    """
    if not isinstance(spec, tuple) or len(spec) != 2:
        return False
    return PART in map(opener_of, spec) or not any(map(_opens_alone, spec))


def model_and_tokenizer(spec: Any) -> tuple[Any, Any] | None:
    """Return the two of a pair or a pipeline; None of anything else."""
    if opener_of(spec) == PIPELINE:
        return spec.model, spec.tokenizer
    return spec if is_pair(spec) and PART in map(opener_of, spec) else None


def open_sources(spec: Any) -> tuple[Source, ...]:
    """Open vectors, or every period of a series."""
    return _open(str(spec)) if isinstance(spec, str | Path) else (open_vectors(spec),)


def transformed(source: VectorsLike, transform: str) -> Source:
    """Transform all vectors of a source: a remedy for anisotropy, or debiasing.

    Parameters
    ----------
    source : anything that :func:`eatlas.open_vectors` opens
        The transform is fitted on all its vectors but zeros, so it must be readable from end to
        end; or it encodes texts, and the fit is on all that are encoded at once, as in a run.
    transform : str
        ``center`` subtracts the mean; ``standardize`` also divides each dimension by its standard
        deviation; ``all-but-the-top:K`` also removes the first K principal components (Mu and
        Viswanath 2018); ``whiten`` also gives all directions the same variance. Of vectors of
        words: ``hard-debias:SETS`` (Bolukbasi et al. 2016; Manzini et al. 2019),
        ``soft-debias:SETS`` or ``soft-debias:SETS:WEIGHT`` (the same), ``inlp:SETS`` (Ravfogel et
        al. 2020); SETS is ``gender``, ``race``, ``religion``, or a TOML file of word sets. Several
        with commas, done in that order. The same as ``?transform=`` in a source string.

    Returns
    -------
    Source
        Its name, notes and fingerprint say what was done, and on what it was fitted.

    Raises
    ------
    SourceError
        If the transform is unknown or the source cannot be listed; on first use, if there are too
        few vectors, or nothing would be left of them.

    Examples
    --------
    >>> import eatlas
    >>> source = eatlas.transformed({"up": [2.0, 1.0], "down": [0.0, 1.0]}, "center")
    >>> source.lookup(["up"])["up"].tolist(), str(source.notes[0])
    ([1.0, 0.0], 'Vectors transformed by center, fitted on 2 vectors of dict.')
    """
    made: Source = load(TRANSFORMS)(open_vectors(source), transform)
    return made


def _open(text: str, series: str | None = None) -> tuple[Source, ...]:
    """Open a source string: a file, or the wrappers of a source and then the source.

    `series` is what names a series of periods; the text by default.
    """
    if not text.strip():
        raise SourceError("no vectors were given", got="an empty text", allowed="a file, a name")
    if is_there(text):
        return _open_path(FileSpec(Path(text)), text, series or text)
    if text.startswith(CBOW):
        words, marks = take_option(text.removeprefix(CBOW), "punctuation")
        marked = choice(marks or "no", ("yes", "no"), "punctuation", text) == "yes"
        source = _only_one(_open(words), words)
        return (load("eatlas.sources.prompts:CBOWSource")(source, punctuation=marked),)
    bare, counts = take_option(text, COUNTS)
    if counts is not None:
        order = CountedOrder(Path(counts))
        return tuple(CountedSource(source, order) for source in _open(bare))
    plain, transform = take_option(text, "transform")
    if transform is not None:
        name = None if scheme_of(plain) else text
        several = _open(plain, series=text)
        return tuple(load(TRANSFORMS)(source, transform, name) for source in several)
    return _open_plain(text, series or text)


def _open_plain(text: str, series: str) -> tuple[Source, ...]:
    """Open a source by its scheme, its name or its path."""
    if scheme := scheme_of(text):
        return _open_scheme(scheme, text)
    file = parse_file_spec(text)
    if not is_there(file.path):
        if named := sources_by_name().get(text):
            return (as_source(named()),)
        from eatlas.sources.download import on_this_machine  # noqa: PLC0415

        path = on_this_machine(str(file.path))
        if path is None:
            raise _no_such(file, text)
        file = replace(file, path=path)
    return _open_path(file, text, series)


def _open_path(file: FileSpec, name: str, series: str) -> tuple[Source, ...]:
    """Open a file, a folder of files by year, or the folder of a model as its scheme does."""
    if scheme := model_scheme(file.path):
        return _open_scheme(scheme, f"{scheme}:{name}")
    from eatlas.sources.formats import (  # noqa: PLC0415  (not all sources are files)
        is_series,
        open_series,
        sources_of_file,
    )

    if is_series(file.path):
        return open_series(file, series)
    return sources_of_file(file, name)


def scheme_of(text: str) -> str:
    """The known scheme that a source string begins with; an existing path wins."""
    scheme, colon, _ = text.partition(":")
    known = colon and (scheme in SCHEMES or scheme in points(SCHEME_POINTS, SCHEMES))
    if not known or is_there(parse_file_spec(text).path):
        return ""
    return scheme


def _open_scheme(scheme: str, text: str) -> tuple[Source, ...]:
    """Open a source by its scheme; a prompt is for all kinds of what encodes texts alike."""
    plain, prompt = take_option(text, PROMPT)
    plain, several = take_option(plain, PROMPTS)
    opener = SCHEMES.get(scheme) or partial(_of_package, points(SCHEME_POINTS)[scheme])
    made = (load(opener) if isinstance(opener, str) else opener)(plain)
    sources = tuple(map(as_source, made if isinstance(made, tuple) else (made,)))
    if prompt is not None or several is not None:
        from eatlas.sources.prompts import PromptSet, add_prompt  # noqa: PLC0415

        if prompt is not None:
            sources = tuple(add_prompt(source, prompt) for source in sources)
        if several is not None:
            sources = tuple(add_prompt(source, PromptSet.read(several)) for source in sources)
    return sources


def scheme_names() -> list[str]:
    """Schemes of eatlas, which no other package can take over, and of other packages."""
    return sorted({*SCHEMES, *points(SCHEME_POINTS, SCHEMES)})


def sources_by_name() -> dict[str, Callable[[], Any]]:
    """Sources by name, including sources of other packages."""
    added = points(ENTRY_POINTS, {*BY_NAME, *source_catalogue()})
    return BY_NAME | {name: partial(_of_package, point) for name, point in added.items()}


def _of_package(point: EntryPoint, *arguments: Any) -> Any:
    """What another package opens."""
    from eatlas.untrusted import require_trust  # noqa: PLC0415

    if not is_own(point):
        would = f"call {point.value}, which an installed package registers as {point.name}"
        require_trust(would)
    made = call_point(point, object, *arguments)
    if not all(map(is_source, made if isinstance(made, tuple) else (made,))):
        allowed = "a source: name, dim, fingerprint, notes and lookup(keys)"
        raise unusable(point, f"{point.value} returns something else", described(made), allowed)
    return made


def _only_one(sources: tuple[Source, ...], text: str) -> Source:
    """The only source; a series or several layers are refused."""
    if len(sources) == 1:
        return sources[0]
    path = parse_file_spec(text).path
    each = (s.name if s.period is None else f"{path}?period={s.period}" for s in sources)
    raise SourceError(
        f"{text}: this names {len(sources)} sources, but one is needed here",
        allowed=listing(each),
        remedy="choose one of them; eatlas run accepts all",
    )


def _no_such(file: FileSpec, text: str) -> EatlasError:
    """Say that there is no such source, and what may be meant."""
    from eatlas.sources.download import published_vectors  # noqa: PLC0415

    spec, names = str(file.path), list(sources_by_name())
    if scheme := _SCHEME.match(text):
        if lacking := absent("schemes", scheme[0].partition(":")[0]):
            return lacking
        schemes = " or ".join(f"{each}:" for each in scheme_names())
        return SourceError(
            f"{text}: unknown type of source {scheme[0]!r}",
            allowed=f"a file, one of: {', '.join(names)}, {CBOW} and either of these, or "
            f"{schemes} and what it takes",
        )
    if spec in names:
        check_options(file.options, OF_ANY, text)
    published = [entry.name for entry in published_vectors()]
    if Path(spec).suffix.lower() in SUFFIXES or "/" in spec or "\\" in spec:
        near = nearest(file.path.name, published)
        fetch = f", or fetch published vectors: eatlas vectors fetch {near[0]}" if near else ""
        beside = file_like(file.path)
        remedy = f"did you mean {beside}?" if beside else f"check the path{fetch}"
        is_file_name = Path(spec).suffix.lower() in SUFFIXES
        if "*" in spec:
            remedy = f"training runs of one source have a name: NAME={spec}"
        elif _HUB_NAME.fullmatch(text) and not beside and not is_file_name:
            remedy += f"; {_as_model(text)}"
        return SourceError(f"{spec}: there is no such file", remedy=remedy)
    near = nearest(spec, [*names, *published])
    return SourceError(
        f"there are no vectors called {spec!r}",
        allowed=f"a file ({', '.join(SUFFIXES)}), one of: {', '.join(names)}, "
        "or published vectors: eatlas vectors list",
        remedy=f"did you mean {near[0]}?" if near else _as_model(text),
    )


def _as_model(name: str) -> str:
    """Say how a model of Hugging Face is named."""
    return f"for a model of Hugging Face, write hf:{name}, or st:{name} if it encodes sentences"


# --- sources that a run calls by a name -----------------------------------------------------------

LONGEST = 40
"""Characters of a name, which is the head of a column in tables."""
_NO_NAME = re.compile(r"[/\\:?#]")
"""What a text before the first equals sign holds that is part of a source string, not a name."""
_NAME = re.compile(rf"(?=.{{1,{LONGEST}}}$)[^\W_][\w .,+()-]*")


class NamedSpec(NamedTuple):
    """What is opened, and what results call it."""

    spec: Any
    """What :func:`eatlas.open_vectors` takes."""
    name: str = ""
    """Empty where the run gives it no name."""
    run_of: str = ""
    """Name of the model that this is a training run of; empty if it is not one."""

    @property
    def key(self) -> tuple[str, object]:
        """Equal for two that open the same under one name."""
        text = isinstance(self.spec, str | Path)
        return self.name, str(self.spec) if text else id(self.spec)


def split_name(text: str) -> NamedSpec:
    """Take a name off a source string.

    The text before the first equals sign is a name unless it holds a slash, a backslash or one of
    ``: ? #``, which belong to source strings, or the whole is a path that exists.
    """
    name, equals, source = text.partition("=")
    if not equals or _NO_NAME.search(name) or is_there(parse_file_spec(text).path):
        return NamedSpec(text)
    if not source.strip():
        raise SourceError(f"nothing is named {name.strip()!r}", got=text, allowed="NAME=SOURCE")
    return NamedSpec(source, require_name(name, source))


def require_name(name: object, source: Any) -> str:
    """Return a name without blanks around it."""
    plain = name.strip() if isinstance(name, str) else ""
    if not _NAME.fullmatch(plain):
        raise SourceError(
            "the name of a source is not usable",
            got=described(name[: 2 * LONGEST] if isinstance(name, str) else name),
            allowed=f"1 to {LONGEST} characters: letters, digits, blanks and . , - _ + ( ), "
            "starting with a letter or a digit",
            remedy="write a path with an equals sign as ./a=b.txt",
        )
    taken = plain in source_catalogue() or plain in sources_by_name()
    if taken and str(source).partition("?")[0] != plain:
        raise SourceError(
            f"{plain!r} is already the name of other vectors", remedy="choose another name"
        )
    return plain


def is_by_name(spec: object) -> bool:
    """Whether this is a mapping from names to sources, rather than from words to vectors."""
    if not isinstance(spec, Mapping) or opener_of(spec):
        return False
    return bool(spec) and all(_opens_alone(of) or is_runs(of) for of in spec.values())


def is_runs(spec: object) -> bool:
    """Whether this is a list of sources, the training runs of what a mapping names."""
    return isinstance(spec, list) and bool(spec) and all(map(_opens_alone, spec))


def specs_of(given: Any, default: str) -> list[NamedSpec]:
    """List what is to be opened, each thing once under each name: strings first, then objects.

    A string may have its name before it, a mapping has names as its keys; a list holds several.
    """
    several = isinstance(given, list | tuple) and not is_pair(given)
    specs: list[NamedSpec] = []
    for spec in given if several else [given]:
        if isinstance(spec, NamedSpec):
            specs.append(spec)
        elif is_by_name(spec):
            specs += [NamedSpec(each, require_name(name, each)) for name, each in spec.items()]
        elif isinstance(spec, str):
            specs.append(split_name(spec))
        else:
            specs.append(NamedSpec(default if spec is None else spec))
    once = {run.key: run for spec in specs for run in training_runs(spec)}.values()
    return sorted(once, key=lambda spec: not isinstance(spec.spec, str | Path))


def training_runs(source: NamedSpec) -> list[NamedSpec]:
    """The training runs that a list or a pattern names; any other source as it is."""
    spec, name, _ = source
    if name and is_runs(spec):
        runs = {str(number): run for number, run in enumerate(spec, start=1)}
    elif name and isinstance(spec, str | Path) and "*" in _split_path(str(spec))[0]:
        runs = files_like(str(spec))
    else:
        return [source]
    if len(runs) < 2:
        raise SourceError(
            f"{name}: only one training run was found"
            if runs
            else f"{name}: no file matches {spec}",
            got=", ".join(map(described, runs.values())) or "no file",
            allowed="two or more training runs: NAME=run-*.txt; in Python also a list of sources",
        )
    return [
        NamedSpec(run, require_name(f"{name} run {what}", run), name) for what, run in runs.items()
    ]


def _split_path(text: str) -> tuple[str, str]:
    """The path of a source string, and its options and member."""
    path = text if is_there(text) else re.split("[?#]", text, maxsplit=1)[0]
    return path, text.removeprefix(path)


def files_like(pattern: str) -> dict[str, str]:
    """Files that match a pattern with an asterisk, by what it stands for; 2 comes before 10."""
    path, options = _split_path(pattern)
    before, *others = path.split("*")
    if len(others) > 1:
        raise SourceError(f"{path}: a pattern must have exactly one *", got=f"{len(others)}")
    found = glob(f"{escape(before)}*{escape(others[0])}")  # noqa: PTH207  (keeps ./ and //)
    parts = [file[len(before) : len(file) - len(others[0])] for file in found]
    files = {part: file + options for part, file in zip(parts, found, strict=True)}
    return {part: files[part] for part in sorted(parts, key=_natural_order)}


def _natural_order(text: str) -> list[tuple[int, str]]:
    """A key by which numbers in texts are in their order."""
    return [(int(part) if part.isdecimal() else -1, part) for part in re.split(r"(\d+)", text)]


def names_under(name: str, sources: Sequence[str]) -> list[str]:
    """What results call each of the sources that were opened under one name."""
    if not name:
        return [""] * len(sources)
    tails = (source.partition("?")[2].partition("#")[0] for source in sources)
    options = [[option for option in tail.split("&") if option] for tail in tails]
    shared = set.intersection(*map(set, options)) if options else set()
    own = [[option for option in some if option not in shared] for some in options]
    members = [source.partition("#")[2] for source in sources]
    parts = [f"#{member}" if len({*members}) > 1 else "" for member in members]
    named = [f"{name}?{'&'.join(some)}" if some else name for some in own]
    return [f"{each}{part}" for each, part in zip(named, parts, strict=True)]


class Opened(NamedTuple):
    """An open source, and what results call it."""

    source: Source
    name: str
    """Empty where results call it by its source string."""
    spec: NamedSpec
    """What it was opened from."""


def open_named(given: Any, default: str = "") -> list[Opened]:
    """Open sources that may have names; a model of several layers gives one for each.

    Parameters
    ----------
    given : what :func:`eatlas.run` takes as vectors
        A source, ``"NAME=SOURCE"``, a mapping from names to sources, or several of them.
    default : str
        Taken in place of None.

    Returns
    -------
    list of Opened
        Each with its source, the name that results call it by, and what it was opened from.
    """
    several = []
    for spec in specs_of(given, default):
        sources = open_sources(spec.spec)
        names = names_under(spec.name, [source.name for source in sources])
        several += [Opened(*pair, spec) for pair in zip(sources, names, strict=True)]
    return several


def files_named(*inputs: Any) -> list[Path]:
    """Files that inputs may be, whether they are there or not, to be written over by nothing."""
    texts = (str(each) for each in inputs if isinstance(each, str | Path))
    return [Path(parse_file_spec(split_name(text).spec).path) for text in texts]


def open_one_named(given: Any, what: str) -> Opened:
    """Open a source that may have a name: ``NAME=SOURCE``, or a mapping from its name to it."""
    specs = specs_of([given] if isinstance(given, list | tuple) else given, "")
    if len(specs) > 1:
        raise SourceError(
            f"{what} takes one source",
            got=", ".join(spec.name for spec in specs),
            allowed="one source, or NAME=SOURCE",
        )
    return Opened(open_vectors(specs[0].spec), specs[0].name, specs[0])
