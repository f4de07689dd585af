"""Pictures of a studio: what a run and its suite have, in full or small, looked up in the catalog."""
