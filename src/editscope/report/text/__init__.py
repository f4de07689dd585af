"""Reports as text: LaTeX, Markdown and CSV."""
