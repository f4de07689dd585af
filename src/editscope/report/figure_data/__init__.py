"""Records of figures: the numbers that the page, Plotly and Matplotlib draw, gathered once for all of them."""
