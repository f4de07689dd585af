"""Comparison of trainings: a base model and arms that were trained on different data, evaluated alike."""
