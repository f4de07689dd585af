"""The guard against leaks: no picture and no instruction of a test suite gets into a training set."""
