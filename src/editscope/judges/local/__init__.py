"""Judges that run on this machine."""
