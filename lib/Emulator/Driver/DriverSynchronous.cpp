//===- lib/Emulator/Driver/DriverSynchronous.cpp - Calls without streams --===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that other programs call and our runtime does not. Each forwards to
// another function with a few arguments more or fewer.
//
//===----------------------------------------------------------------------===//

#include "DriverState.h"

using namespace tessera::emu;
using namespace tessera::emu::driver;

/// Ignores the options, which are for the machine's assembler.
CUresult driver::cuModuleLoadDataEx(CUmodule *module, const void *image,
                                    unsigned, int *, void **) {
  return cuModuleLoadData(module, image);
}

CUresult driver::cuMemcpyHtoD_v2(CUdeviceptr to, const void *from,
                                 size_t bytes) {
  return cuMemcpyHtoDAsync_v2(to, from, bytes, nullptr);
}

CUresult driver::cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  return cuMemcpyDtoHAsync_v2(to, from, bytes, nullptr);
}

CUresult driver::cuMemsetD8_v2(CUdeviceptr address, unsigned char value,
                               size_t bytes) {
  return cuMemsetD8Async(address, value, bytes, nullptr);
}

CUresult driver::cuLaunchKernel(CUfunction function, unsigned gridX,
                                unsigned gridY, unsigned gridZ, unsigned blockX,
                                unsigned blockY, unsigned blockZ,
                                unsigned sharedBytes, CUstream stream,
                                void **parameters, void **extra) {
  CUlaunchConfig config = {{gridX, gridY, gridZ},
                           {blockX, blockY, blockZ},
                           sharedBytes,
                           stream,
                           nullptr,
                           0};
  return cuLaunchKernelEx(&config, function, parameters, extra);
}
