//===- TensorMap.h - What a tensor copy moves -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor map as the driver's encoder is given it (CUDA driver API,
// cuTensorMapEncodeTiled) and the tensor copies through it (PTX ISA, 5.5
// "Tensors", 9.7.9.27). The machine's own 128 bytes are not documented: these
// are the emulator's, and say so when they were damaged.
//
// Maps of cuTensorMapEncodeIm2col do not exist here, nor the copies that need
// them (TensorCopyMode.h).
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
  /// Of a tensor map in memory.
  static constexpr unsigned kAlignment = 64;

  /// CUtensorMapDataType.
  int type = 0;
  unsigned rank = 0;
  uint64_t address = 0;
  /// Dimension 0 is the innermost one.
  std::array<uint64_t, kMaxRank> dims{};
  /// In bytes, of dimensions 1 and up.
  std::array<uint64_t, kMaxRank - 1> strides{};
  /// The box in elements of the tensor's space: of dimensions with an element
  /// stride, every so many of these are copied. That of dimension 0 is ignored.
  std::array<uint32_t, kMaxRank> box{}, elementStrides{};
  /// CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion (a hint,
  /// which changes nothing), CUtensorMapFloatOOBfill.
  int interleave = 0, swizzle = 0, promotion = 0, fill = 0;

  unsigned getElementBytes() const;
  /// How many elements a copy moves along a dimension.
  uint32_t getBoxExtent(unsigned dim) const;
  /// Of a whole box, as a copy completes them at a barrier: also of the parts
  /// that are out of bounds.
  uint64_t getBoxBytes() const;
  /// Bytes within which the swizzle exchanges parts; 0 without one.
  uint32_t getSwizzleSpan() const;
  /// Writes what loads put for elements that are out of bounds: zeros, or NaN
  /// of the map's type.
  void fillOutOfBounds(llvm::MutableArrayRef<uint8_t> bytes) const;

  /// Checks what the encoder checks; the message says which argument is wrong
  /// and what it must be. Refuses, and says so, what this emulator does not
  /// have or what is not documented well enough to be computed.
  llvm::Error verify() const;

  /// Of a map that `verify` accepts.
  std::array<uint8_t, kBytes> encode() const;
  /// Fails on bytes that `encode` has not made.
  static llvm::Expected<TensorMap> decode(llvm::ArrayRef<uint8_t> bytes);
};

/// Bytes that lie side by side in both memories.
struct TensorCopyPiece {
  /// None if the piece is out of bounds: it is filled, or not written.
  std::optional<uint64_t> global;
  /// Address in shared memory.
  uint32_t shared;
  uint32_t bytes;
};

/// Calls `visit` for all pieces of the box at `coordinates` (as many as `map`
/// has dimensions) that lies at `shared`, in the order of the box. Pieces are
/// as long as possible: they end where bounds do, and may hold several rows.
/// Swizzles permute 16 byte parts by bits of the address in shared memory, not
/// of the offset in the box; no piece is then longer than such a part.
///
/// Addresses are computed modulo 2^64, as some programs count on.
void visitTensorCopy(const TensorMap &map, llvm::ArrayRef<int32_t> coordinates,
                     uint32_t shared,
                     llvm::function_ref<void(const TensorCopyPiece &)> visit);

/// The alignment that a tensor copy wants of the address in shared memory:
/// 128 bytes.
inline constexpr uint32_t kTensorCopyAlignment = 128;

/// What `cp.reduce` does to elements of a tensor map's type in memory:
/// target = target op source (PTX ISA, cp.reduce.async.bulk.tensor).
/// `operation` is "add", "min", "max", "inc", "dec", "and", "or" or "xor".
/// FLOAT32 keeps subnormal numbers, FLOAT32_FTZ flushes them.
/// ElementReduction.h has the same by the types of cp.reduce.async.bulk.
llvm::Error reduceElements(llvm::StringRef operation, int type,
                           llvm::MutableArrayRef<uint8_t> target,
                           llvm::ArrayRef<uint8_t> source);

} // namespace tessera::emu

#endif // TESSERA_EMULATOR_TENSORMAP_H
