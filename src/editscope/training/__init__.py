"""Training of editors: data, supervised fine-tuning, reinforcement, rewards."""
