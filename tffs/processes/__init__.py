"""A pool of processes with one thread each: what experiments and searches train in."""
