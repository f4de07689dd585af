"""Flow models that edit pictures, whatever their family: what training needs of a diffusers pipeline."""
