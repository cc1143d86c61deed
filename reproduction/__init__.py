"""From the lines of the experiment grid to RESULTS.md: tables and figures beside the paper's."""
