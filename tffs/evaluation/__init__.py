"""What a selection is worth: reconstruction and clustering on the target's rows, yardsticks, a picture."""
