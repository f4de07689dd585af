"""What a build keeps on disk."""
