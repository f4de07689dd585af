"""Archives of runs: pack, open and verify them."""
