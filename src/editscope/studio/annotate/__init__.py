"""Annotation in the studio: projects of a folder, cases with a form and a canvas, every save a revision."""
