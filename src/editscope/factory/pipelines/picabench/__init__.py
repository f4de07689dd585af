"""The pipeline that builds a benchmark of physics: steps for regions and questions."""
