"""The local engine: worker processes that edit and score, and the loop that feeds them."""
