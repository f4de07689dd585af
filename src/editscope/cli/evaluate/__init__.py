"""Commands that edit and score: `run`, `score`, `resume`, `rescore` and `watch`."""
