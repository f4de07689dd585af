"""Experiment trackers that runs and watches log to: TensorBoard, Weights & Biases and Trackio."""
