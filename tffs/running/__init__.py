"""What a run does from rows to an exported model, for the command line and for Python."""
