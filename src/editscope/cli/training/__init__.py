"""Commands of training: train, rewards for other trainers."""
