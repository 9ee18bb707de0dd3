"""What a plan rests on: spreads of figures, the truth they are taken at, and the power of tests."""
