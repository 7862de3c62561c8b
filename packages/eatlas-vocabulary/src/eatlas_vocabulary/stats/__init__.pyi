from . import (
    classifiers as classifiers,
    clusters as clusters,
    compiled_inversion as compiled_inversion,
    compiled_maxima as compiled_maxima,
)
