"""From flags to a run that can be trained: what the data decides, and who plays which part."""
