//===- FakeCuda.h - A CUDA driver without a GPU -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared library with the functions of the CUDA driver that the runtime
// calls. It keeps a log of all calls, has memory on the host, and fails where
// it is told to. A test opens it in place of libcuda.so.1, and talks to it by
// the functions here. It checks, as the driver does, that handles are alive.
// Kernels do nothing except for two entries: fake_scale(x, y, by, n) sets the n
// floats of y to by * x, and fake_fault lets every later wait fail.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TEST_FAKECUDA_FAKECUDA_H
#define TESSERA_TEST_FAKECUDA_FAKECUDA_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::fakecuda {

/// Forgets the log, what was told, and everything that is alive.
void reset();

/// Lets call number `skip` (from 0) of `function` return `code`.
void failAt(const char *function, int code, int skip = 0);

/// One line per call since the last reset: "cuMemAlloc 64".
std::vector<std::string> getLog();

/// How many handles and allocations are alive.
int countAlive();

/// The sizes of the arguments of all kernels, which the log of launches
/// needs: a driver finds them in the machine code.
void setArgumentSizes(std::vector<unsigned> sizes);

/// The results of coming calls of cuEventElapsedTime; the last one repeats.
void setTimes(std::vector<float> milliseconds);

/// Compute capability of the device, 90 after a reset.
void setComputeCapability(int capability);

/// Sets the groups of multiprocessors that a cluster can use. A reset makes six
/// groups of 16 and two of 18, 132 in all.
void setMultiprocessorGroups(std::vector<int> groups);

/// Whether launches are captured for a graph from now on.
void setCapturing(bool isCapturing);

/// Lets `address` be memory of another device; 0 for none.
void setForeign(uint64_t address);

/// The context that is current; there is one thread.
void *getCurrentContext();
void setCurrentContext(void *context);

} // namespace tessera::fakecuda

// The same for tests in other languages; the log is cleared as it is read.
extern "C" {
const char *fakecuda_log();
void fakecuda_fail_at(const char *function, int code);
void fakecuda_set_foreign(uint64_t address);
void fakecuda_set_argument_sizes(const unsigned *sizes, size_t count);
}

#endif // TESSERA_TEST_FAKECUDA_FAKECUDA_H
