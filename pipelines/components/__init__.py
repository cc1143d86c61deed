"""Components that TFX lacks: the gate, the evaluator of episodes, the check of the export, the push."""
