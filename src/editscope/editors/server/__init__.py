"""The server that puts any editor behind HTTP."""
