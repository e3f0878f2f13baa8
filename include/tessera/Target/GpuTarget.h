//===- GpuTarget.h - What a GPU can do, as numbers --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row per GPU that code is made for: the name that the tools know, and the
// limits that a plan must keep. Passes, the code generator and the runtime read
// limits here and nowhere else; a new GPU is a new row in GpuTarget.cpp.
// Nothing of LLVM's code generator is needed to ask.
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
  /// The processor as LLVM and ptxas spell it: "sm_90a".
  llvm::StringLiteral name = "";
  /// Features of the code generator: the PTX version, "+ptx88".
  llvm::StringLiteral features = "";

  // Registers, in 32-bit words.
  int64_t registersPerSM = 0;
  int64_t registersPerThread = 0;
  /// Registers are handed out to a warp in steps of this many per thread
  /// (PTX ISA, "setmaxnreg").
  int64_t registerStep = 0;
  /// The range that `setmaxnreg` accepts, inclusive.
  int64_t minMaxRegisters = 0;
  int64_t maxMaxRegisters = 0;

  // Threads.
  int64_t warpSize = 0;
  int64_t threadsPerBlock = 0;
  int64_t threadsPerSM = 0;
  int64_t blocksPerSM = 0;
  /// Blocks of a cluster that every GPU of the kind can launch.
  int64_t blocksPerCluster = 0;
  /// Barriers of a block (PTX ISA, "barrier"); number 0 is __syncthreads.
  int64_t namedBarriers = 0;

  // Shared memory, in bytes.
  int64_t sharedMemoryPerBlock = 0;
  int64_t sharedMemoryPerSM = 0;
  /// What the system takes of each block's share.
  int64_t reservedSharedMemoryPerBlock = 0;

  // Memory barriers (PTX ISA, "mbarrier"): arrivals and bytes of a phase.
  int64_t mbarrierMaxCount = 0;
  int64_t mbarrierMaxBytes = 0;

  // Tensor memory accelerator (PTX ISA, "Tensors" and "Tensor copy").
  int64_t tmaMaxRank = 0;
  /// Elements of a box along one dimension.
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

  // What the whole GPU does in a second at most. Sources: NVIDIA's data sheet
  // of the H200 SXM, whose rates of tensor cores are with sparsity, twice
  // these. How fast the clock really is depends on the power that a kernel
  // takes: matrix products have reached 0.84 of these rates.
  /// Operations of tensor cores, of elements of 16 and of 8 bits.
  int64_t tensorRate16 = 0;
  int64_t tensorRate8 = 0;
  /// Operations of f32 without tensor cores; a multiply-add is two.
  int64_t fmaRate = 0;
  /// How many multiprocessors there are, of which programs may share what they
  /// read.
  int64_t multiprocessors = 0;
  /// Bytes from and to global memory.
  int64_t memoryBandwidth = 0;

  /// Registers that each thread of a block has at its start, if the block is
  /// given all of the SM's: what `setmaxnreg` shares out anew.
  int64_t getRegistersAtEntry(int64_t threads) const;
  int64_t getWarpgroupThreads() const { return warpsPerWarpgroup * warpSize; }
  /// Columns of the widest wgmma of which several make `n`, of floats or of
  /// integers (PTX ISA, "Matrix Shape" of wgmma); 0 if there is none.
  int64_t getWgmmaColumns(int64_t n, bool ofIntegers) const;
};

/// All targets; the first one is the default.
llvm::ArrayRef<GpuTarget> getGpuTargets();

/// The target of that name, or null.
const GpuTarget *findGpuTarget(llvm::StringRef name);

const GpuTarget &getDefaultGpuTarget();

/// "sm_90a", or the names of all targets with commas, for messages.
std::string listGpuTargets();

} // namespace tessera

#endif // TESSERA_TARGET_GPUTARGET_H
