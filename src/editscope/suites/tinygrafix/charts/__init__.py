"""The five chart types, one file each."""
