"""The dataset amazon_reviews."""
