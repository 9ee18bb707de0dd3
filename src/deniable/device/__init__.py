"""The respondent's side: the only place where a true answer and a random number meet."""
