"""Rules for texts that models and people write: what code can decide by the words."""
