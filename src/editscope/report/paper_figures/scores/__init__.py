"""Figures of scores: metrics side by side, histograms, heat maps, divided rows, before and after."""
