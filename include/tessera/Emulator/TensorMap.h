//===- TensorMap.h - Tensor maps and tensor copies --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor map as given to the driver's encoder (CUDA driver API,
// cuTensorMapEncodeTiled), and the tensor copies that use it (PTX ISA, 5.5
// "Tensors", 9.7.9.27). The 128 bytes of a machine's map are not documented.
// The emulator has its own format, which detects damaged bytes.
//
// Maps of cuTensorMapEncodeIm2col, and the copies that need them
// (TensorCopyMode.h), are not supported.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_EMULATOR_TENSORMAP_H
#define TESSERA_EMULATOR_TENSORMAP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <optional>

namespace tessera::emu {

struct TensorMap {
  static constexpr unsigned kBytes = 128, kMaxRank = 5;
  /// Alignment of a tensor map in memory.
  static constexpr unsigned kAlignment = 64;
  /// The tensor, its rows, and boxes in a row begin at multiples of this many
  /// bytes.
  static constexpr unsigned kGlobalAlignment = 16;

  /// CUtensorMapDataType.
  int type = 0;
  unsigned rank = 0;
  uint64_t address = 0;
  /// Dimension 0 is the innermost one.
  std::array<uint64_t, kMaxRank> dims{};
  /// Strides in bytes, of dimensions 1 and up.
  std::array<uint64_t, kMaxRank - 1> strides{};
  /// The box, in elements of the tensor. In a dimension with an element stride
  /// of n, every n-th of these elements is copied. The element stride of
  /// dimension 0 is ignored.
  std::array<uint32_t, kMaxRank> box{}, elementStrides{};
  /// CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion (a hint,
  /// which changes nothing), CUtensorMapFloatOOBfill.
  int interleave = 0, swizzle = 0, promotion = 0, fill = 0;

  unsigned getElementBytes() const;
  /// Returns the number of elements that a copy moves along a dimension.
  uint32_t getBoxExtent(unsigned dim) const;
  /// Returns the bytes of a whole box that a copy completes at a barrier,
  /// including parts out of bounds.
  uint64_t getBoxBytes() const;
  /// Returns the bytes within which the swizzle exchanges parts; 0 without a
  /// swizzle.
  uint32_t getSwizzleSpan() const;
  /// Writes the values of out-of-bounds elements in loads: zeros, or NaN of the
  /// map's type.
  void fillOutOfBounds(llvm::MutableArrayRef<uint8_t> bytes) const;

  /// Makes the checks of the encoder. The message names the wrong argument and
  /// the requirement. Also refuses maps that this emulator does not support, or
  /// that are not documented well enough to be computed.
  llvm::Error verify() const;

  /// Encodes a map that `verify` accepts.
  std::array<uint8_t, kBytes> encode() const;
  /// Fails for bytes that are not the result of `encode`.
  static llvm::Expected<TensorMap> decode(llvm::ArrayRef<uint8_t> bytes);
};

/// Bytes that are contiguous in both memories.
struct TensorCopyPiece {
  /// None if the piece is out of bounds: it is filled, or not written.
  std::optional<uint64_t> global;
  /// Address in shared memory.
  uint32_t shared;
  uint32_t bytes;
};

/// Calls `visit` for all pieces of the box at `coordinates` (one for each
/// dimension of `map`), stored at `shared`, in the order of the box. Pieces are
/// as long as possible: they end at bounds, and may contain several rows.
/// Swizzles permute parts of 16 bytes by bits of the address in shared memory,
/// not of the offset in the box; a piece is then at most one such part.
///
/// Addresses are computed modulo 2^64, which some programs rely on.
void visitTensorCopy(const TensorMap &map, llvm::ArrayRef<int32_t> coordinates,
                     uint32_t shared,
                     llvm::function_ref<void(const TensorCopyPiece &)> visit);

/// The required alignment of the address in shared memory: 128 bytes.
inline constexpr uint32_t kTensorCopyAlignment = 128;

/// Computes `cp.reduce` on elements of a tensor map's type in memory: target =
/// target op source (PTX ISA, cp.reduce.async.bulk.tensor). `operation` is
/// "add", "min", "max", "inc", "dec", "and", "or" or "xor". FLOAT32 keeps
/// subnormal numbers, FLOAT32_FTZ flushes them. ElementReduction.h has the same
/// function by the types of cp.reduce.async.bulk.
llvm::Error reduceElements(llvm::StringRef operation, int type,
                           llvm::MutableArrayRef<uint8_t> target,
                           llvm::ArrayRef<uint8_t> source);

} // namespace tessera::emu

#endif // TESSERA_EMULATOR_TENSORMAP_H
