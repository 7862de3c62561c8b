"""Encoders of images: files to pixels, and models that take them alone or beside texts."""
