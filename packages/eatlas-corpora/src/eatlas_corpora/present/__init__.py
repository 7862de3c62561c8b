"""What eatlas-corpora shows."""
