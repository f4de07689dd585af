"""Commands about finished runs and published results: `show`, `report`, `compare` and others."""
