//===- GpuTarget.h - Capabilities of a GPU, as numbers ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of targets. A row has the name of a GPU in the tools, and the
// limits of plans. Passes, the code generator and the runtime read limits only
// from this table. A new GPU is a new row in GpuTarget.cpp. Queries do not need
// LLVM's code generator.
//
// Sources: "PTX ISA" 8.8 (sections are named at the fields) and the compute
// capability tables of the CUDA C++ programming guide.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TARGET_GPUTARGET_H
#define TESSERA_TARGET_GPUTARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace tessera {

struct GpuTarget {
  /// The processor in the spelling of LLVM and ptxas: "sm_90a".
  llvm::StringLiteral name = "";
  /// Features of the code generator: the PTX version, "+ptx88".
  llvm::StringLiteral features = "";

  // Registers, in 32-bit words.
  int64_t registersPerSM = 0;
  int64_t registersPerThread = 0;
  /// Registers are allocated to a warp in steps of this many per thread (PTX
  /// ISA, "setmaxnreg").
  int64_t registerStep = 0;
  /// The range that `setmaxnreg` accepts, inclusive.
  int64_t minMaxRegisters = 0;
  int64_t maxMaxRegisters = 0;

  // Threads.
  int64_t warpSize = 0;
  int64_t threadsPerBlock = 0;
  int64_t threadsPerSM = 0;
  int64_t blocksPerSM = 0;
  /// Largest cluster, in blocks, that every GPU of the kind can launch.
  int64_t blocksPerCluster = 0;
  /// Barriers of a block (PTX ISA, "barrier"); number 0 is __syncthreads.
  int64_t namedBarriers = 0;

  // Shared memory, in bytes.
  int64_t sharedMemoryPerBlock = 0;
  int64_t sharedMemoryPerSM = 0;
  /// Shared memory of each block that the system reserves.
  int64_t reservedSharedMemoryPerBlock = 0;

  // Memory barriers (PTX ISA, "mbarrier"): arrivals and bytes of a phase.
  int64_t mbarrierMaxCount = 0;
  int64_t mbarrierMaxBytes = 0;

  // Tensor memory accelerator (PTX ISA, "Tensors" and "Tensor copy").
  int64_t tmaMaxRank = 0;
  /// Largest number of elements of a box along one dimension.
  int64_t tmaBoxExtent = 0;
  /// Strides and the address of the tensor are multiples of this many bytes.
  int64_t tmaGlobalAlignment = 0;
  /// The inner extent of a box is a multiple of this many bytes.
  int64_t tmaBoxAlignment = 0;
  /// Alignment of a box in shared memory, in bytes, without a swizzle.
  int64_t tmaSharedAlignment = 0;
  int64_t tmaElementStride = 0;

  // Warpgroup matrix products (PTX ISA, "wgmma"): m64nNk16 and the like.
  int64_t warpsPerWarpgroup = 0;
  int64_t wgmmaM = 0;
  int64_t wgmmaMaxN = 0;
  int64_t wgmmaStepN = 0;

  // Largest rates of the whole GPU, per second. Source: NVIDIA's data sheet of
  // the H200 SXM, whose rates of tensor cores are with sparsity, twice these.
  // Real rates are lower: the clock depends on the power that a kernel takes.
  /// Operations of tensor cores, on elements of 16 and of 8 bits.
  int64_t tensorRate16 = 0;
  int64_t tensorRate8 = 0;
  /// Returns the rate for elements of 8, 16 or 32 bits (TF32).
  int64_t getTensorRate(int64_t bits) const {
    return bits == 8 ? tensorRate8 : tensorRate16 * 16 / bits;
  }
  /// Operations on f32 without tensor cores; a multiply-add is two operations.
  int64_t fmaRate = 0;
  /// Number of multiprocessors, over which programs that share operands may be
  /// distributed.
  int64_t multiprocessors = 0;
  /// Bytes from and to global memory.
  int64_t memoryBandwidth = 0;

  /// Returns the registers of each thread of a block at its start, if the block
  /// gets all registers of the SM. `setmaxnreg` redistributes them.
  int64_t getRegistersAtEntry(int64_t threads) const;
  int64_t getWarpgroupThreads() const { return warpsPerWarpgroup * warpSize; }
  /// Returns the columns of the widest wgmma that divides `n`, for floats or
  /// for integers (PTX ISA, "Matrix Shape" of wgmma); 0 if there is none.
  int64_t getWgmmaColumns(int64_t n, bool ofIntegers) const;
};

/// Returns all targets; the first one is the default.
llvm::ArrayRef<GpuTarget> getGpuTargets();

/// Returns the target of that name, or null.
const GpuTarget *findGpuTarget(llvm::StringRef name);

const GpuTarget &getDefaultGpuTarget();

/// Returns "sm_90a", or the names of all targets with commas, for messages.
std::string listGpuTargets();

} // namespace tessera

#endif // TESSERA_TARGET_GPUTARGET_H
