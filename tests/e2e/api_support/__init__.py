"""The tests of run-api, by subject."""
