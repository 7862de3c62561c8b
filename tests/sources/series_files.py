"""Folders of vectors by year, as HistWords lays them out."""

import pickle

import numpy as np


def write_histwords(folder, decades):
    """Write YEAR-w.npy and YEAR-vocab.pkl for a mapping from years to {word: vector}."""
    folder.mkdir(parents=True, exist_ok=True)
    for year, vectors in decades.items():
        np.save(folder / f"{year}-w.npy", np.array(list(vectors.values()), dtype=np.float32))
        with (folder / f"{year}-vocab.pkl").open("wb") as file:
            pickle.dump(list(vectors), file, protocol=2)
    return folder
