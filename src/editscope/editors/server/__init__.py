"""Server that puts any editor behind HTTP."""
