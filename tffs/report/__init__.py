"""The page a person mails: what to measure, how sure that is, and how it was made, in one file."""
