"""Score intervals of shares: what replies do not contradict, computed under a smoothed truth."""
