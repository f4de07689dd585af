"""The factory: pipelines of steps that build benchmarks and training sets."""
