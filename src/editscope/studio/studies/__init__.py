"""Studies with people: design, raters and their links, votes that are never lost, results, people against metrics."""
