"""Calls the functions of the CUDA driver that a launch needs, by ctypes, from a real library or the emulator's."""

import ctypes

DYNAMIC_SHARED_BYTES = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
CLUSTER_DIMENSION = 4  # CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION


class DriverError(Exception):
    """A call failed; has the driver's text for its status."""


class LaunchAttribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int), ("padding", ctypes.c_char * 4), ("value", ctypes.c_uint * 16)]


class LaunchConfig(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_uint),
                ("stream", ctypes.c_void_p), ("attributes", ctypes.POINTER(LaunchAttribute)),
                ("count", ctypes.c_uint)]


class Driver:
    """A device with a current context, and its allocations."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        context = ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code == 0:
            return
        text = ctypes.c_char_p()
        self.library.cuGetErrorString(code, ctypes.byref(text))
        raise DriverError(f"{name}: {(text.value or b'').decode()}")

    def load(self, ptx, name):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadDataEx", ctypes.byref(module), ptx.encode() + b"\0", 0, None, None)
        self.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        return function

    def allocate(self, count):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(count))
        return address.value

    def upload(self, array):
        address = self.allocate(array.nbytes)
        self.call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), array.ctypes.data_as(ctypes.c_void_p),
                  ctypes.c_size_t(array.nbytes))
        return address

    def download(self, array, address):
        self.call("cuMemcpyDtoH_v2", array.ctypes.data_as(ctypes.c_void_p), ctypes.c_uint64(address),
                  ctypes.c_size_t(array.nbytes))

    def free(self, address):
        self.call("cuMemFree_v2", ctypes.c_uint64(address))

    def encode(self, address, extents, box, element_bytes, element_type, swizzle):
        """Returns a tensor map of a row-major matrix; extents and box have the innermost dimension last."""
        # The driver requires an alignment of 64, which ctypes does not guarantee.
        buffer = ctypes.create_string_buffer(128 + 64)
        start = (ctypes.addressof(buffer) + 63) // 64 * 64
        rank = len(extents)
        strides = [element_bytes]
        for extent in reversed(extents):
            strides.append(strides[-1] * extent)
        numbers = (ctypes.c_uint64 * rank)(*reversed(extents))
        steps = (ctypes.c_uint64 * rank)(*strides[1:])
        boxes = (ctypes.c_uint32 * rank)(*reversed(box))
        ones = (ctypes.c_uint32 * rank)(*([1] * rank))
        self.call("cuTensorMapEncodeTiled", ctypes.c_void_p(start), element_type, rank,
                  ctypes.c_void_p(address), numbers, steps, boxes, ones, 0, swizzle, 2, 0)
        return ctypes.string_at(start, 128)

    def launch(self, function, grid, threads, shared, arguments, cluster=1):
        """Launches a kernel and waits for it; `arguments` are ctypes values and the bytes of tensor maps."""
        self.call("cuFuncSetAttribute", function, DYNAMIC_SHARED_BYTES, shared)
        attribute = LaunchAttribute(CLUSTER_DIMENSION)
        attribute.value[:3] = (cluster, 1, 1)
        config = LaunchConfig((ctypes.c_uint * 3)(*grid), (ctypes.c_uint * 3)(threads, 1, 1), shared, None,
                              ctypes.pointer(attribute), int(cluster > 1))
        values = [ctypes.create_string_buffer(a, len(a)) if isinstance(a, bytes) else a for a in arguments]
        pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        self.call("cuLaunchKernelEx", ctypes.byref(config), function, pointers, None)
        self.call("cuCtxSynchronize")
