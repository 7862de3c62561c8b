"""How frequent words are, as the order of a source or a list of counts says, and random words."""
