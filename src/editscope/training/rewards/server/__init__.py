"""Server that puts any reward behind HTTP, and the messages that it takes."""
