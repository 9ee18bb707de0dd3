"""The respondent's device: the only place where a true answer and a random number meet."""
