"""HTML pages beside the report: judge audits and watches."""
