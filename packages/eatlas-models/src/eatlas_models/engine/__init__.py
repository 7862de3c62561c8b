"""What eatlas-models does with tests and sources, from reading to records."""
