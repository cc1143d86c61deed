"""The generic builder: any table of a user as a TFDS dataset, and how tables are read."""
