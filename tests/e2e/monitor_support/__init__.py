"""The tests of run-monitor, by subject."""
