"""Score intervals of shares: what replies do not contradict, told under a smoothed truth."""
