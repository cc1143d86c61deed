"""What pages for people share: their look, and how they are written."""

from tffs.web.templates import asset, csp_hash, page_environment

__all__ = ["asset", "csp_hash", "page_environment"]
