# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that meet at barriers of the grid."""

import contextvars
import threading

import numpy as np

from .problems import Illegal


class Stopped(BaseException):
    """Ends a program after the error of another one."""


class Program(threading.Thread):
    """Runs `body(meet)` up to the next call of `meet`, whenever it has the turn."""

    def __init__(self, body):
        super().__init__(daemon=True)
        self.body = body
        self.context = contextvars.copy_context()
        self.turn, self.pause = threading.Semaphore(0), threading.Semaphore(0)
        self.has_ended = self.is_stopped = False
        self.error = None

    def run(self):
        self.turn.acquire()
        try:
            with np.errstate(all="ignore"):
                if not self.is_stopped:
                    self.context.run(self.body, self.meet)
        except Stopped:
            pass
        except BaseException as error:
            self.error = error
        self.has_ended = True
        self.pause.release()

    def meet(self):
        self.pause.release()
        self.turn.acquire()
        if self.is_stopped:
            raise Stopped

    def go_on(self):
        self.turn.release()
        self.pause.acquire()
        if self.error:
            raise self.error


def run_together(bodies):
    """Runs all bodies from one meeting to the next. One body runs at a time, in the given order."""
    programs = [Program(body) for body in bodies]
    for program in programs:
        program.start()
    try:
        while programs and not programs[0].has_ended:
            for program in programs:
                program.go_on()
            if len({program.has_ended for program in programs}) > 1:
                raise Illegal("some programs do not come to a barrier of the grid")
    finally:
        for program in programs:
            if not program.has_ended:
                program.is_stopped = True
                program.turn.release()
            program.join()
