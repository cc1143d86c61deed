"""More than one machine: the cluster, its workers finding each other, what they tell each other."""
