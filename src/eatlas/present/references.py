"""What a paper should cite, as BibTeX."""

from __future__ import annotations

from collections.abc import Iterable

from eatlas.present.family import DeclaredFamily
from eatlas.present.inference import has_crossed
from eatlas.present.rule import Rule
from eatlas.present.trend_words import levels_of_trend
from eatlas.results import AssociationResult, TrendResult

_ML_EAT = """\
@misc{wolfe2024mleat,
  author = {Wolfe, Robert and Hiniker, Alexis and Howe, Bill},
  title = {{ML-EAT}: A Multilevel Embedding Association Test for Interpretable and Transparent
    Social Science},
  year = {2024},
  eprint = {2408.01966},
  archivePrefix = {arXiv}
}"""
_CALISKAN = """\
@article{caliskan2017semantics,
  author = {Caliskan, Aylin and Bryson, Joanna J. and Narayanan, Arvind},
  title = {Semantics derived automatically from language corpora contain human-like biases},
  journal = {Science},
  volume = {356},
  number = {6334},
  pages = {183--186},
  year = {2017}
}"""
_CEAT = """\
@inproceedings{guo2021detecting,
  author = {Guo, Wei and Caliskan, Aylin},
  title = {Detecting Emergent Intersectional Biases: Contextualized Word Embeddings Contain a
    Distribution of Human-like Biases},
  booktitle = {Proceedings of the 2021 AAAI/ACM Conference on AI, Ethics, and Society},
  pages = {122--133},
  year = {2021}
}"""
_LPBS = """\
@inproceedings{kurita2019measuring,
  author = {Kurita, Keita and Vyas, Nidhi and Pareek, Ayush and Black, Alan W. and Tsvetkov, Yulia},
  title = {Measuring Bias in Contextualized Word Representations},
  booktitle = {Proceedings of the First Workshop on Gender Bias in Natural Language Processing},
  pages = {166--172},
  year = {2019}
}"""
_BIAS_METHODS = """\
@inproceedings{husse2022mind,
  author = {Husse, Silke and Spitz, Andreas},
  title = {Mind Your Bias: A Critical Review of Bias Detection Methods for Contextual Language
    Models},
  booktitle = {Findings of the Association for Computational Linguistics: EMNLP 2022},
  year = {2022}
}"""
_BOOTSTRAP = """\
@book{efron1993introduction,
  author = {Efron, Bradley and Tibshirani, Robert J.},
  title = {An Introduction to the Bootstrap},
  publisher = {Chapman \\& Hall},
  address = {New York},
  year = {1993}
}"""
_GLOVE = """\
@inproceedings{pennington2014glove,
  author = {Pennington, Jeffrey and Socher, Richard and Manning, Christopher D.},
  title = {{GloVe}: Global Vectors for Word Representation},
  booktitle = {Proceedings of EMNLP 2014},
  pages = {1532--1543},
  year = {2014}
}"""
_BLOCKS = """\
@article{carlstein1986use,
  author = {Carlstein, Edward},
  title = {The Use of Subseries Values for Estimating the Variance of a General Statistic from a
    Stationary Sequence},
  journal = {The Annals of Statistics},
  volume = {14},
  number = {3},
  pages = {1171--1179},
  year = {1986}
}"""
_CROSSED = """\
@article{clark1973language,
  author = {Clark, Herbert H.},
  title = {The Language-as-Fixed-Effect Fallacy: A Critique of Language Statistics in Psychological
    Research},
  journal = {Journal of Verbal Learning and Verbal Behavior},
  volume = {12},
  number = {4},
  pages = {335--359},
  year = {1973}
}"""
_EQUIVALENCE = """\
@article{schuirmann1987comparison,
  author = {Schuirmann, Donald J.},
  title = {A Comparison of the Two One-Sided Tests Procedure and the Power Approach for Assessing
    the Equivalence of Average Bioavailability},
  journal = {Journal of Pharmacokinetics and Biopharmaceutics},
  volume = {15},
  number = {6},
  pages = {657--680},
  year = {1987}
}"""
_STUDENTISED = """\
@article{janssen1997studentized,
  author = {Janssen, Arnold},
  title = {Studentized Permutation Tests for Non-i.i.d. Hypotheses and the Generalized
    {Behrens-Fisher} Problem},
  journal = {Statistics \\& Probability Letters},
  volume = {36},
  number = {1},
  pages = {9--21},
  year = {1997}
}

@article{chung2013exact,
  author = {Chung, EunYi and Romano, Joseph P.},
  title = {Exact and Asymptotically Robust Permutation Tests},
  journal = {The Annals of Statistics},
  volume = {41},
  number = {2},
  pages = {484--507},
  year = {2013}
}"""
_ADJUSTMENTS = {
    "holm": """\
@article{holm1979simple,
  author = {Holm, Sture},
  title = {A Simple Sequentially Rejective Multiple Test Procedure},
  journal = {Scandinavian Journal of Statistics},
  volume = {6},
  number = {2},
  pages = {65--70},
  year = {1979}
}""",
    "bh": """\
@article{benjamini1995controlling,
  author = {Benjamini, Yoav and Hochberg, Yosef},
  title = {Controlling the False Discovery Rate: A Practical and Powerful Approach to Multiple
    Testing},
  journal = {Journal of the Royal Statistical Society: Series B},
  volume = {57},
  number = {1},
  pages = {289--300},
  year = {1995}
}""",
    "by": """\
@article{benjamini2001control,
  author = {Benjamini, Yoav and Yekutieli, Daniel},
  title = {The Control of the False Discovery Rate in Multiple Testing under Dependency},
  journal = {The Annals of Statistics},
  volume = {29},
  number = {4},
  pages = {1165--1188},
  year = {2001}
}""",
}
_SAMPLE = "glove-sample"


def bibtex(
    results: Iterable[AssociationResult],
    family: DeclaredFamily,
    trends: Iterable[TrendResult] = (),
) -> str:
    """Entries for eatlas, the measures, the adjustment and the bundled vectors, where used.

    Stimuli bring a citation in words, which the methods paragraph repeats.

    Parameters
    ----------
    results : iterable of results
    family : DeclaredFamily
    trends : iterable of TrendResult, optional
    """
    given = list(results)
    measures = {result.measure for result in given}
    resampled = any(getattr(result, "uncertainty", None) is not None for result in given)
    wanted = [
        (bool(given), _software(result.provenance.version for result in given)),
        (bool(measures & {"ml-eat", "ceat", "lpbs", "lpbs-ceat"}), _ML_EAT),
        (bool(measures & {"ml-eat", "weat", "sc-eat"}), _CALISKAN),
        (bool(measures & {"ceat", "lpbs-ceat"}), _CEAT),
        (bool(measures & {"lpbs", "lpbs-ceat"}), _LPBS),
        (bool(measures & {"lpbs", "lpbs-ceat"}), _BIAS_METHODS),
        (resampled, _BOOTSTRAP),
        (any(map(has_crossed, given)), _CROSSED),
        (any(getattr(result, "equivalence", None) for result in given), _EQUIVALENCE),
        (any(map(Rule.studentised, given)), _STUDENTISED),
        (any(result.source == _SAMPLE for result in given), _GLOVE),
        (any(True for trend in trends for _ in levels_of_trend(trend)), _BLOCKS),
    ]
    if family.family is not None:
        wanted.append((True, _ADJUSTMENTS[family.family.method]))
    return "\n\n".join(entry for used, entry in wanted if used)


def _software(versions: Iterable[str]) -> str:
    return f"""\
@software{{eatlas,
  author = {{{{The eatlas developers}}}},
  title = {{eatlas: embedding association tests you can trust, explain and publish}},
  version = {{{", ".join(dict.fromkeys(versions))}}}
}}"""
