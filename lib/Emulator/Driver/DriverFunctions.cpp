//===- lib/Emulator/Driver/DriverFunctions.cpp - Kernels of modules -------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes of kernels, the limits of launches, and occupancy.
//
//===----------------------------------------------------------------------===//

#include "DriverState.h"

using namespace tessera::emu;
using namespace tessera::emu::driver;

uint64_t Function::getMaxDynamicShared() const {
  if (settings.maxDynamicShared)
    return *settings.maxDynamicShared;
  uint64_t own = program->getStaticSharedBytes();
  return own < kSharedBytes ? kSharedBytes - own : 0;
}

// CUfunction_attribute
static constexpr int kMaxDynamicSharedAttribute = 8;
static constexpr int kLargeClusterAttribute = 14;

static uint64_t getMaxThreads(const Kernel &kernel) {
  uint64_t threads = 1;
  for (unsigned extent : kernel.maxThreads)
    threads *= std::max(extent, 1u);
  return kernel.maxThreads[0] ? threads : kMaxThreads;
}

CUresult driver::cuFuncGetAttribute(int *value, int attribute,
                                    CUfunction function) {
  Call call;
  const Function *found = call->findFunction(function);
  if (!found)
    return fail(kInvalidHandle, "this is no kernel");
  const Kernel &kernel = found->getKernel();
  auto give = [&](uint64_t result) {
    *value = static_cast<int>(result);
    return kSuccess;
  };
  switch (attribute) {
  case 0:
    return give(getMaxThreads(kernel));
  case 1:
    return give(found->program->getStaticSharedBytes());
  case 4: // registers: the number that ptxas would assign is unknown
    return give(kernel.maxRegisters);
  case 5:
    return give(found->module->module->majorVersion * 10 +
                found->module->module->minorVersion);
  case 6:
    return give(90);
  case kMaxDynamicSharedAttribute:
    return give(found->getMaxDynamicShared());
  case 10:
    return give(kernel.cluster[0] != 0);
  case 11:
  case 12:
  case 13:
    return give(kernel.cluster[attribute - 11]);
  case kLargeClusterAttribute:
    return give(found->settings.allowsLargeClusters);
  default:
    return fail(kInvalidValue, "the emulator does not know attribute " +
                                   Twine(attribute) + " of kernels");
  }
}

CUresult driver::cuFuncSetAttribute(CUfunction function, int attribute,
                                    int value) {
  Call call;
  Function *found = call->findFunction(function);
  if (!found)
    return fail(kInvalidHandle, "this is no kernel");
  if (attribute == kLargeClusterAttribute) {
    found->settings.allowsLargeClusters = value;
    return kSuccess;
  }
  if (attribute != kMaxDynamicSharedAttribute)
    return fail(kInvalidValue, "the emulator cannot set attribute " +
                                   Twine(attribute) + " of kernels");
  uint64_t own = found->program->getStaticSharedBytes();
  if (value < 0 || own + value > kMaxSharedBytes)
    return fail(
        kInvalidValue,
        "kernel '" + found->getKernel().name + "' asks for " + Twine(value) +
            " bytes of shared memory in addition to its own " + Twine(own) +
            "; a block has at most " + Twine(kMaxSharedBytes));
  found->settings.maxDynamicShared = value;
  return kSuccess;
}

CUresult driver::checkBlock(const Function &function, uint64_t threads,
                            uint64_t dynamicShared) {
  const Kernel &kernel = function.getKernel();
  uint64_t most = std::min<uint64_t>(getMaxThreads(kernel), kMaxThreads);
  if (threads == 0 || threads > most)
    return fail(kInvalidValue, "kernel '" + kernel.name +
                                   "' takes blocks of 1 to " + Twine(most) +
                                   " threads, got " + Twine(threads));
  if (dynamicShared > function.getMaxDynamicShared())
    return fail(kInvalidValue,
                "the launch of '" + kernel.name + "' asks for " +
                    Twine(dynamicShared) + " bytes of shared memory; " +
                    Twine(function.getMaxDynamicShared()) +
                    " are what the kernel may have unless cuFuncSetAttribute "
                    "allows more");
  return kSuccess;
}

CUresult driver::cuOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, CUfunction function, int threads, size_t sharedBytes) {
  Call call;
  const Function *found = call->findFunction(function);
  if (!found)
    return fail(kInvalidHandle, "this is no kernel");
  if (threads < 0)
    return fail(kInvalidValue, "the number of threads is negative");
  // A real driver also returns 0 if no block fits.
  *blocks = checkBlock(*found, threads, sharedBytes) == kSuccess;
  return kSuccess;
}

CUresult driver::cuOccupancyMaxActiveClusters(int *clusters,
                                              CUfunction function,
                                              const CUlaunchConfig *config) {
  Call call;
  const Function *found = call->findFunction(function);
  if (!found)
    return fail(kInvalidHandle, "this is no kernel");
  unsigned cluster[3];
  if (CUresult error = getCluster(*found, *config, cluster))
    return error;
  uint64_t threads =
      uint64_t(config->block[0]) * config->block[1] * config->block[2];
  unsigned size = cluster[0] * cluster[1] * cluster[2];
  bool fits = checkBlock(*found, threads, config->sharedBytes) == kSuccess;
  *clusters = fits ? std::max(1u, call->options.multiprocessors / size) : 0;
  return kSuccess;
}
