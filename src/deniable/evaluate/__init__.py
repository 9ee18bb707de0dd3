"""How good a model is, measured on disguised replies alone."""
