"""A pool without processes, for the loops that give out jobs."""

from tffs.processes.pool import Answer, AtWork


class InstantPool:
    """Does one job at a time, of those that were given first.

    Args:
        count: of places.
        do: gives the outcome of a job.

    Attributes:
        most: how many places were busy at a time.
        closed: whether it was closed.
    """

    def __init__(self, count, do):
        self._jobs = {place: [] for place in range(count)}
        self._do = do
        self.most = 0
        self.closed = False

    def free(self):
        return [place for place, jobs in self._jobs.items() if not jobs]

    def at_work(self):
        return [AtWork(jobs, 0.5) for jobs in self._jobs.values() if jobs]

    def give(self, place, jobs):
        del self._jobs[place]
        self._jobs[place] = list(jobs)
        self.most = max(self.most, len(self.at_work()))

    def hear(self, seconds):
        jobs = next(jobs for jobs in self._jobs.values() if jobs)
        job = jobs.pop(0)
        return [Answer(job, self._do(job), 10.0)]

    def close(self):
        self.closed = True
