"""How good a posterior is on tasks that it has not seen: every figure of them."""

from tffs.evaluation.left_out.counts import curve_counts
from tffs.evaluation.left_out.examiner import Examined
from tffs.evaluation.left_out.measured import Measured, measured_on_left_out
from tffs.evaluation.left_out.on_target import on_target
from tffs.evaluation.left_out.summary import Summary

__all__ = ["Examined", "Measured", "Summary", "curve_counts", "measured_on_left_out", "on_target"]
