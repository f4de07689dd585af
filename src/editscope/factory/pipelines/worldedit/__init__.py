"""Pipeline of WorldEdit: causes and what becomes visible, by object and mode."""
