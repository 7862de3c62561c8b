"""Texts of the packages beside the core, until each is in its own."""
