"""Measurements: what the README and docs/performance.md say, to be run again by anybody."""
