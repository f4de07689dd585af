"""Archives of runs: packing, unpacking and verifying them."""
