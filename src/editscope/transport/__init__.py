"""Transport to paid services: sessions, rate control, faults, budgets, prices and keys, for judges and editors."""
