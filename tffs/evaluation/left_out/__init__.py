"""How good a posterior is on tasks that it has not seen: every figure of them."""

from tffs.evaluation.left_out.counts import curve_counts
from tffs.evaluation.left_out.examiner import TaskFigures
from tffs.evaluation.left_out.folds import on_left_out_tasks
from tffs.evaluation.left_out.on_target import on_target
from tffs.evaluation.left_out.summary import Summary

__all__ = ["Summary", "TaskFigures", "curve_counts", "on_left_out_tasks", "on_target"]
