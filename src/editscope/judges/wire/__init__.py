"""Wire formats of hosted judges, one file each."""
