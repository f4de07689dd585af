"""HTML report: one file that holds everything it shows."""
