"""Videos: frames by their time, shots, and pairs of frames within a shot."""
