"""Applications: each uses eatlas as a user's package would, by its public names."""
