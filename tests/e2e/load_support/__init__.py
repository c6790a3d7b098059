"""What load is made of: the program under test, peers that misbehave, and the tests by subject."""
