"""Output of a build: Parquet for Hugging Face `datasets`, WebDataset shards, a data card, and a suite that runs."""
