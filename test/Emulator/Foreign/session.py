"""Runs one launch on a device: its arguments, edits of its PTX, and the check of its result."""

import ctypes
import re

import numpy

# Before barriers of all warps, so that earlier writes are visible through the async proxy.
BARRIER = re.compile(r"^\s*(bar|barrier)\.sync\b", re.MULTILINE)
FENCE = "\n\tfence.proxy.async.shared::cta;"


class Session:
    """The device memory of one case, and the result of its launch."""

    def __init__(self, driver, scratch, peers, order, seed, adds_fences):
        self.driver, self.scratch, self.order, self.seed = driver, scratch, order, seed
        self.triton, self.nvcc = peers.get("triton"), peers.get("nvcc")
        self.adds_fences = adds_fences
        self.random = numpy.random.default_rng(13)
        self.null = ctypes.c_uint64(0)
        self.uploaded, self.compiler, self.result, self.steps = [], "", "", 0

    def upload(self, array):
        self.uploaded.append(ctypes.c_uint64(self.driver.upload(numpy.ascontiguousarray(array))))
        return self.uploaded[-1]

    def allocate(self, like):
        """Allocates uninitialised memory of the size of an array."""
        self.uploaded.append(ctypes.c_uint64(self.driver.allocate(like.nbytes)))
        return self.uploaded[-1]

    def launch(self, ptx, name, grid, threads, shared, arguments):
        library = self.driver.library
        library.tesseraEmulatorSetOrder(self.order.encode(), ctypes.c_uint64(self.seed))
        library.tesseraEmulatorGetSteps.restype = ctypes.c_uint64
        if self.adds_fences:
            ptx = BARRIER.sub(lambda barrier: FENCE + barrier.group(), ptx)
        self.driver.launch(self.driver.load(ptx, name), grid, threads, shared, arguments)
        self.steps += library.tesseraEmulatorGetSteps()

    def get_findings(self):
        """Returns the findings of the emulator for the last launch, with notes."""
        library = self.driver.library
        library.tesseraEmulatorGetFindings.restype = ctypes.c_char_p
        return (library.tesseraEmulatorGetFindings() or b"").decode()

    def compare(self, address, expected, tolerance, kind=None):
        """Whether the memory at an address is close enough to `expected`; its type is `kind` or that of `expected`."""
        result = numpy.empty(expected.shape, kind or expected.dtype)
        self.driver.download(result, address.value)
        difference = numpy.abs(result.astype(numpy.float64) - expected.astype(numpy.float64))
        is_right = bool((difference <= tolerance).all())
        what = "right" if is_right else "WRONG"
        within = f"within {numpy.max(difference):.1e} of {tolerance:.1e}"
        self.result = f"{what}, to the bit" if is_right and tolerance == 0 else f"{what}, {within}"
        return is_right

    def free(self):
        for address in self.uploaded:
            self.driver.free(address.value)
