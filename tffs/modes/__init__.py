"""One file a mode of the command line, each a short walk through the library."""
