"""The page a person mails: what to measure, how sure that is, and how it was made, in one file."""

from tffs.report.of_run import REPORT, write_run_report
from tffs.report.of_task import write_task_report

__all__ = ["REPORT", "write_run_report", "write_task_report"]
