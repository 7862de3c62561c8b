"""What eatlas-corpora does with tests and sources, from reading to records."""
