"""Algorithm 1: temperature schedule, drawn chunks, inner loop, optimizer, checkpoints, trainer."""
