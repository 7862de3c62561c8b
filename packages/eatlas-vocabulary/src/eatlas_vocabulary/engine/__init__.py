"""What eatlas-vocabulary does with tests and sources, from reading to records."""
