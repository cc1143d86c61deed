"""The TFX pipeline: validate, scale, tune, train, evaluate, check and push; see docs/howto/pipeline.md."""
