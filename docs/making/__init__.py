"""What makes the documentation: parts of its site, its examples, and the outputs that it shows."""
