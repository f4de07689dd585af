"""Text that several commands print: plans, results, cases and progress."""
