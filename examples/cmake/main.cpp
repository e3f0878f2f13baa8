//===- main.cpp - Softmax on a device, from C++ ---------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// softmax [PACKAGE [DRIVER]]: launches a kernel through the header that was
// made of its package, and compares with the host. PACKAGE is where the package
// is by now, if it was moved; DRIVER is another library than libcuda.so.1, such
// as Tessera's emulator, which needs no GPU.
//
//===----------------------------------------------------------------------===//

#include "DeviceArray.h"

#include "softmax_kernels.h"

#include <cmath>
#include <cstdio>
#include <memory>

namespace {

void check(tessera_status status) {
  if (status != TESSERA_SUCCESS)
    throw std::runtime_error(tessera_last_error());
}

/// Owns what a function of the runtime makes: make(arguments..., &handle).
template <typename Handle, typename... Parameters, typename... Arguments>
std::unique_ptr<Handle, void (*)(Handle *)>
make(tessera_status (*make)(Parameters...), void (*free)(Handle *),
     Arguments... arguments) {
  Handle *handle;
  check(make(arguments..., &handle));
  return {handle, free};
}

std::vector<float> computeOnHost(const std::vector<float> &x, size_t columns) {
  std::vector<float> y(x.size());
  for (size_t row = 0; row < x.size(); row += columns) {
    double sum = 0;
    for (size_t i = row; i < row + columns; ++i)
      sum += std::exp(x[i]);
    for (size_t i = row; i < row + columns; ++i)
      y[i] = std::exp(x[i]) / sum;
  }
  return y;
}

void run(const char *file, const char *driver) {
  constexpr size_t kRows = 6, kColumns = 100;
  std::vector<float> x(kRows * kColumns);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = std::sin(0.1f * i);

  auto device =
      make<tessera_device>(tessera_device_open, tessera_device_free, driver, 0);
  auto package =
      make<tessera_package>(tessera_package_open, tessera_package_free, file);
  auto kernel = make<tessera_kernel>(softmax_load, tessera_kernel_free,
                                     device.get(), package.get());

  DeviceMemory memory(driver);
  memory.use(0);
  DeviceArray input(memory, x), output(memory, std::vector<float>(x.size()));

  softmax_args arguments = {};
  arguments.x = input.data();
  arguments.y = output.data();
  arguments.M = kRows;
  arguments.N = kColumns;
  check(softmax_launch(kernel.get(), /*stream=*/nullptr, &arguments));
  check(tessera_stream_wait(device.get(), 0));

  float error = 0;
  std::vector<float> y = output.toHost(), expected = computeOnHost(x, kColumns);
  for (size_t i = 0; i < y.size(); ++i)
    error = std::fmax(error, std::fabs(y[i] - expected[i]));
  std::printf("softmax of %zu x %zu on %s: largest error %.1e\n", kRows,
              kColumns, tessera_device_name(device.get()), error);
  if (!(error < 1e-6f))
    throw std::runtime_error("the results differ");
}

} // namespace

int main(int argc, char **argv) {
  try {
    run(argc > 1 ? argv[1] : SOFTMAX_KERNELS_PACKAGE,
        argc > 2 ? argv[2] : nullptr);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "softmax: error: %s\n", error.what());
    return 1;
  }
}
