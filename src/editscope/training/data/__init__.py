"""Examples to train on: from suites with answers, from data sets of the factory, and made without end."""
