"""Coverage-guided fuzzing of what people and clients send; for builders, not installed."""
