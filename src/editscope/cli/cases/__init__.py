"""Commands about cases: `suites`, `generate` and `suite`."""
