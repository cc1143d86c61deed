"""From prepared datasets to episodes: tasks, splits, counter-based draws, the episode generator."""
