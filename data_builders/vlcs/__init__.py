"""The dataset vlcs."""
