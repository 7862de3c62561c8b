"""Statistics on plain arrays: permutation tests, effect sizes, multiplicity; no names here."""
