"""Tests the values that the extension reads from torch tensors: addresses, shapes and strides that reach the driver.

Host tensors act as tensors of a device that launches nothing. Usage: torch_tensors.py FAKE_CUDA SCRATCH"""

import ctypes
import pathlib
import struct
import sys
import unittest

import tessera
import torch
from tessera import allocation, tensors

FAKE, SCRATCH = sys.argv[1], pathlib.Path(sys.argv[2])
fake = ctypes.CDLL(FAKE)
fake.fakecuda_log.restype = ctypes.c_char_p
tensors.DEVICE_TYPE = "cpu"
torch._C._cuda_getCurrentRawStream = lambda ordinal: 0
SOURCE = """kernel scaled<T: type = f32>(x: T[M, N], alpha: f32, out y: T[M, N])
  grid (m in tiles(M, 16), n in tiles(N, 64))
{
  y[m, n] = (alpha * (x[m, n] as f32)) as T;
}
"""


class Subclass(torch.Tensor):
    pass


def launched():
    """Returns the arguments of the last launch, as the driver got them."""
    lines = [line for line in fake.fakecuda_log().decode(errors="replace").splitlines()
             if line.startswith("cuLaunchKernelEx")]
    assert len(lines) == 1, lines
    return lines[0]


def address(tensor):
    return tensor.data_ptr().to_bytes(8, "little").hex()


class Tensors(unittest.TestCase):
    def setUp(self):
        file = SCRATCH / f"{self._testMethodName}.tile"
        file.write_text(SOURCE)
        self.kernel = tessera.load(file, options=["--ptx-only"], cache=tessera.Cache(SCRATCH / "cache"))["scaled"]
        # The two addresses and alpha, which come first.
        fake.fakecuda_set_argument_sizes((ctypes.c_uint * 3)(8, 8, 4), ctypes.c_size_t(3))
        fake.fakecuda_log()

    def check(self, x, adds, alpha=2.0):
        """Calls the kernel twice with the tensor; the first call adds `adds` plans."""
        before = len(self.kernel._plans)
        for _ in range(2):
            y = self.kernel(x, alpha)
            line = launched()
            self.assertIn(f" {address(x)} {address(y)} {struct.pack('<f', alpha).hex()}", line)
            self.assertEqual((y.shape, y.dtype, y.is_contiguous()), (x.shape, x.dtype, True))
            self.assertEqual(len(self.kernel._plans), before + adds)

    def test_plans_follow_what_tensors_are(self):
        x = torch.zeros(20, 30)
        self.check(x, 1)
        self.assertTrue(self.kernel._plans.has_extension)
        self.assertEqual(len(self.kernel._plans._plans), 0)
        # Similar tensors: in their own memory, inside another tensor, with gradients, parameters.
        self.check(torch.zeros(20, 30), 0)
        self.check(torch.zeros(40, 30)[20:], 0)
        self.check(torch.zeros(20, 30, requires_grad=True), 0)
        self.check(torch.nn.Parameter(torch.zeros(20, 30)), 0)
        self.check(torch.zeros(20, 30, dtype=torch.bfloat16), 1)
        self.check(torch.zeros(20, 30, dtype=torch.float16), 1)
        self.check(torch.zeros(30, 20), 1)
        self.check(x, 1, alpha=3.0)
        for _ in range(2):
            y = self.kernel(torch.zeros(0, 30), 2.0)
            self.assertEqual((y.shape, y.stride()), ((0, 30), (30, 1)))
        # Outputs too large for a plan to keep a pattern without memory.
        self.check(torch.zeros(2049, 2048), 1)
        # Python makes calls with subclasses of tensors.
        self.check(x.as_subclass(Subclass), 1)
        self.assertEqual(len(self.kernel._plans._plans), 1)

    def test_how_outputs_are_made(self):
        self.assertIsNotNone(allocation.quick_empty(torch))
        for shape in ((2, 0, 3), (4, 5), (0,), (), (1, 1)):
            self.assertEqual(allocation.dense_strides(shape), torch.empty(shape).stride())
        x = torch.zeros(20, 30)
        self.kernel(x, 2.0)
        with torch.inference_mode():
            self.assertTrue(self.kernel(x, 2.0).is_inference())
        y = self.kernel(x, 2.0)
        self.assertFalse(y.is_inference() or y.requires_grad)
        # Separate memory that can grow and be saved for gradients.
        self.assertNotEqual(y.data_ptr(), self.kernel(x, 2.0).data_ptr())
        self.assertEqual(y.untyped_storage().nbytes(), 4 * 20 * 30)
        y.requires_grad_()
        y.square().sum().backward()
        self.assertEqual(y.grad.shape, y.shape)

    def test_strides(self):
        for x in (torch.zeros(20, 64)[:, :30], torch.zeros(30, 20).mT, torch.zeros(1, 30).expand(20, 30)):
            try:
                first = self.kernel(x, 2.0)
            except tessera.ArgumentError as error:
                self.assertIn("expected 'x' to be dense and row-major", str(error))
                with self.assertRaisesRegex(tessera.ArgumentError, "dense and row-major"):
                    self.kernel(x, 2.0)
                continue
            one = launched()
            self.kernel(x, 2.0, out=first)
            self.assertEqual(launched(), one)
            self.kernel(x, 2.0, out=first)
            self.assertEqual(launched(), one)

    def test_memory_that_is_shared_until_it_is_written(self):
        x, one = torch.zeros(20, 30), torch.zeros(20, 30)
        for _ in range(3):
            y = torch._lazy_clone(one)
            self.kernel(x, 2.0, out=y)
            self.assertFalse(torch._C._is_cow_tensor(y))
            self.assertIn(f" {address(x)} {address(y)} ", launched())
            self.assertNotEqual(y.data_ptr(), one.data_ptr())

    def test_tensors_without_memory(self):
        """Tensors without memory, which torch uses while it maps a function."""
        self.check(torch.zeros(20, 30), 1)
        with self.assertRaisesRegex(RuntimeError, "doesn't have storage"):
            torch.func.vmap(lambda x: self.kernel(x, 2.0))(torch.zeros(3, 20, 30))

    def test_tensors_that_are_refused(self):
        self.check(torch.zeros(20, 30), 1)
        for x, message in ((torch.zeros(20, 30, dtype=torch.complex64).conj().imag, "'x' is a view that negates"),
                           (torch.zeros(20, 30, device="meta"), "'x' is on the device 'meta'"),
                           (torch.zeros(20, 30).to_sparse(), "'x' has the layout torch.sparse_coo; make it dense"),
                           (torch.zeros(20, 30, dtype=torch.complex64), "'x' has the dtype complex64"),
                           (torch.zeros(20), "expected 'x' to have rank 2, got 1")):
            for _ in range(2):
                with self.assertRaisesRegex(tessera.ArgumentError, message):
                    self.kernel(x, 2.0)


unittest.main(argv=[sys.argv[0]])
