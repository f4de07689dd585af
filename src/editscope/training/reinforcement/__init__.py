"""Reinforcement learning of flow editors and of planners that write for them."""
