"""The engine: walks records through the steps of a plan, and goes on where an earlier build ended."""
