"""Growing, testing and pruning decision trees."""
