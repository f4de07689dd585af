"""Steps over pixels: frames of videos, checks of pictures and pairs, crops, and near duplicates."""
