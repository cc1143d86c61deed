"""What TFX calls: thin functions that hand over to tffs."""
