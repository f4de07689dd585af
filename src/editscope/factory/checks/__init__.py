"""Checks of pictures and pairs of pictures, measured from pixels."""
