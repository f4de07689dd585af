"""Pipeline of WiseEdit: cases that need knowledge, in two languages."""
