"""The small editor: a network of our own that reads an instruction and pixels and makes exact edits."""
