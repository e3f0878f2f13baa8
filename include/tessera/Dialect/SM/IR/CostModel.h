//===- CostModel.h - Estimates that decisions rest on -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers that estimate the needs of a kernel: registers, bytes of shared
// memory, seconds. GpuTarget has the limits of the machine, which are
// exact. Each number here has a unit, a meaning and an origin. The origin
// "estimate" means that no measurement of the number is recorded.
//
// "The sweep" is gpu/machine_code/register_sweep.py: the registers that ptxas
// 13.5 needs for each kernel (gpu/results). gpu/machine_code/register_model.py
// compares the sweep with the count (docs/registers.md, "How good the count
// is").
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_IR_COSTMODEL_H
#define TESSERA_DIALECT_SM_IR_COSTMODEL_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// Elements of at most 8 bits, and masks, in registers: each has a register, or
/// a half of one where only the size of a tile matters.
enum class NarrowElements { Whole, Halves };

/// Returns the registers of a thread that hold `tile` in `layout`. Two elements
/// of 16 bits share a register.
int64_t getTileRegisters(RankedTensorType tile, const layout::Layout &layout,
                         NarrowElements narrow = NarrowElements::Whole);
/// The same for the layout of `tile`.
int64_t getTileRegisters(RankedTensorType tile);

namespace cost {

//===----------------------------------------------------------------------===//
// Registers of a thread that values other than tiles take
//===----------------------------------------------------------------------===//

/// Registers of a wgmma in addition to its accumulators. Origin: ptxas 13.0 and
/// 13.5 ask for 130 registers with 208 columns, and for 154 with 256.
inline constexpr int64_t kMmaRegisters = 26;

/// Registers of a left operand that a wgmma takes from registers: one fragment.
/// Origin: the instruction (PTX ISA, "wgmma").
inline constexpr int64_t kFragmentRegisters = 4;

/// Registers of addresses, positions of rings and masks in a role that
/// multiplies tiles. Origin: the sweep.
inline constexpr int64_t kMathScalars = 20;

/// Registers of the same in scopes without MMAs: a number, and a percentage of
/// the registers of tiles. If rows are aligned, one address and one mask serve
/// whole vectors, and the percentage does not count. Origin: the sweep.
inline constexpr int64_t kElementScalars = 12, kElementScalarPercent = 30;

/// Registers that load one vector of a row that may start anywhere: the two
/// aligned chunks that contain the vector, the shift, and the address. All
/// chunks are loaded before the first is shifted. Origin: the machine code that
/// ptxas 13.5 emits for such loads.
inline constexpr int64_t kChunkRegisters = 2 * 4 + 1 + 2;

/// Registers of an address in global memory. Origin: 64 bits.
inline constexpr int64_t kAddressRegisters = 2;

/// Registers of threads that copy tiles to shared memory. A role with MMAs
/// takes kCopyRegisters for the position, the limits and the strides of each
/// tile. Addresses and masks take kCopyPercentPerWord / 100 registers for each
/// word of kCopyWordBytes. Origin: the sweep.
inline constexpr int64_t kCopyRegisters = 8, kCopyPercentPerWord = 130,
                         kCopyWordBytes = 16;

//===----------------------------------------------------------------------===//
// Leeways of the count of registers
//===----------------------------------------------------------------------===//

/// Possible error of the count, in registers. A budget has that many more than
/// the count; a warning is emitted if the count exceeds the budget by more.
/// Origin: the sweep. 92 % of its kernels are within this error.
inline constexpr int64_t kCountError = 16;

/// Registers that tiles of a scheduled loop may take above the free ones.
/// Arithmetic goes by slices, so ptxas reloads some scalars instead. Origin:
/// estimate.
inline constexpr int64_t kSliceLeeway = 8;

/// Registers that stay free at the MMAs of a scheduled loop, since an MMA needs
/// its registers at once and contiguously. Origin: estimate.
inline constexpr int64_t kMmaGap = 8;

/// Registers that tiles may take in addition if the schedule asks for late
/// stores. Reloading some scalars costs less than a second meeting of the
/// warpgroups. Origin: estimate. Late stores as such gain 3 to 6 % on an H200,
/// in gradients of attention with heads of 128 and no mask.
inline constexpr int64_t kLateStoreLeeway = 8;

/// Registers of leeway in the first trial of a kernel with ptxas. A schedule
/// leaves kMathScalars to scalars and kMmaGap at MMAs. Origin: ptxas 13.5 needs
/// up to 24 registers less than counted.
inline constexpr int64_t kTrialLeeway = 32;
/// Loops with fewer products keep the order of the rules unless the kernel asks
/// for another one. Origin: measurements that confirm predicted orders are of
/// gradients of attention (docs/design/clock.md).
inline constexpr size_t kFewestTriedProducts = 4;

/// Registers of scalars when sm-hoist-loads moves a load before an MMA. Origin:
/// with 16, ptxas keeps all MMAs of the examples asynchronous. It serialises
/// the MMAs of kernels that have too few registers (C7512).
inline constexpr int64_t kHoistScalars = 16;

/// The most registers of a vector in a ring that sm-hoist-loads reads early.
/// Origin: H200, gradients of attention (docs/passes/sm-hoist-loads.md):
/// vectors of 16 registers gain, vectors of 32 do not.
inline constexpr int64_t kMostHoistedRegisters = 16;

//===----------------------------------------------------------------------===//
// Register budgets of roles
//===----------------------------------------------------------------------===//

/// Registers of a role that only computes addresses. Its spills would not
/// matter, but ptxas must find an allocation. Origin: estimate.
inline constexpr int64_t kLoadRegisters = 40;

/// The fewest registers of a role that transforms operands: a part of a tile in
/// two types, and addresses. Origin: estimate.
inline constexpr int64_t kLeastTransformRegisters = 88;

//===----------------------------------------------------------------------===//
// Blocks per multiprocessor, for kernels without roles
//===----------------------------------------------------------------------===//

/// Registers of addresses and fetches in a kernel with MMAs, without the
/// accumulators. Also the most registers of accumulators for which the number
/// of blocks is bounded. Origin: H200. With and without the bound, plain
/// variants of 128x128 take 276 and 398 us. LoLA, which spills 384 bytes, takes
/// 334 and 421 us. A product of normalised rows, which spills 52 bytes, takes
/// 326 and 423 us.
inline constexpr int64_t kPlainMmaRegisters = 64;

/// The same for products by threads, which have no descriptors. Origin:
/// estimate.
inline constexpr int64_t kPlainDotRegisters = 32;

/// The most blocks for which registers are bounded. Origin: four blocks of one
/// warpgroup with steps of 128 spill.
inline constexpr int64_t kMostBoundedBlocks = 3;

/// The most registers of tiles other than accumulators that a loop carries if
/// the number of blocks is bounded. A product that is scaled before it is added
/// is live together with its sum. Origin: one such loop spilled 480 bytes under
/// the bound.
inline constexpr int64_t kMostCarriedRegisters = kPlainMmaRegisters / 2;

//===----------------------------------------------------------------------===//
// Sizes of tiles
//===----------------------------------------------------------------------===//

/// The most registers of a thread for one tile, four times the registers that a
/// thread has. A part of the tile may be in memory. Arithmetic by elements
/// needs only a part of it at once. Origin: estimate; time and code of a
/// compilation grow with the number.
inline constexpr int64_t kMostTileRegisters = 1024;

/// The registers from which a tile is named as a reason for spills. Origin:
/// estimate.
inline constexpr int64_t kNotableTileRegisters = 32;

/// The most elements of a thread in a tile that stays in registers for a second
/// use, in a variant for rows that are one tile. Origin: estimate.
inline constexpr int64_t kMostKeptElements = 64;

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Bytes for a queue of programs and for gaps of alignment. Origin: estimate.
inline constexpr int64_t kQueueBytes = 512;

/// Bytes of the two mbarriers of a slot, full and empty. Origin: PTX ISA.
inline constexpr int64_t kSlotBarrierBytes = 16;

/// The slots for whose barriers a plan reserves bytes if enough are left: six
/// rings with the most slots that a schedule may request. Origin: estimate.
inline constexpr int64_t kAmpleSlots = 6 * 16;

/// The most slots of a ring in a loop, and the most stages of fetches by
/// threads, if the schedule has no number. Origin: estimate; the MMAs of
/// earlier slots hide the latency of a copy.
inline constexpr int64_t kDefaultSlots = 4;

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

/// Seconds of a load while tensor copies keep the L2 cache busy. Origin: H200;
/// loops that wait for one load in each iteration take 0.47 us.
inline constexpr double kLoadSeconds = 0.5e-6;

} // namespace cost
} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_IR_COSTMODEL_H
