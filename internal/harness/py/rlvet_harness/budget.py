"""Ends a run in time.

The program is stopped by an exception that it is unlikely to catch, from a probe, an
optimizer step or an environment step. A program that catches it all the same is ended
without ceremony at the next of those.
"""

import os
import signal
import threading

GRACE = 5.0  # seconds for a program to end after it was told to
UNDER_WAY = 1  # Run.reported: the process is sending its evidence


class Stop(BaseException):
    """The run has seen enough."""


class Budget:
    """Counts what a run may still do."""

    def __init__(self, request, run):
        self.run = run
        self.max_steps = request.get("max_steps") or 0
        self.max_environment_steps = request.get("max_environment_steps") or 0
        self.awake = len(request["targets"])
        self.stopped = None

    def watch_signals(self):
        """Ends the run in order when the parent's patience is over."""

        def end(number, frame):
            if self.run.reported == UNDER_WAY:
                return  # it is ending already, and has to finish its evidence
            if not self.run.name:
                self.finish("timeout")
            self.run.finish("timeout")
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGTERM)

        signal.signal(signal.SIGTERM, end)

    def stepped(self):
        if self.max_steps and self.run.steps >= self.max_steps:
            self.stop("steps")

    def environment_stepped(self):
        if self.max_environment_steps and self.run.environment_steps >= self.max_environment_steps:
            self.stop("environment-steps")

    def hit(self):
        if self.stopped:
            self.finish(self.stopped)

    def slept(self):
        """A watch has used up its hits; when all have, the run has nothing more to tell."""
        self.awake -= 1
        if self.awake == 0:
            self.stop("hits")

    def stop(self, why):
        """Stops the program; a child asks the parent for that, as nobody may wait for the
        end of a child alone."""
        if self.run.name:
            self.run.events.send("stop", status=why)
            return
        if self.stopped:
            self.finish(self.stopped)
        self.stopped = why
        # A program that catches everything would go on, and may never come by here again.
        last = threading.Timer(GRACE, self.finish, [why])
        last.daemon = True
        last.start()
        raise Stop(why)

    def finish(self, why):
        """Ends the process at once, after telling what was seen."""
        self.run.finish(why)
        os._exit(0)
