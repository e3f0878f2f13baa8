//===- TensorCopy.cpp - The pieces of a tensor copy -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enumerates the pieces of a tensor copy: runs of bytes that are contiguous in
// global and in shared memory. The rows of the box are visited in order, and
// each row is split at the bounds of the tensor. Without a swizzle, adjacent
// pieces are joined. With an XOR swizzle, each piece is at most 16 bytes and is
// moved by bits of its address.
//
//===----------------------------------------------------------------------===//

#include "tessera/Emulator/TensorMap.h"

#include <algorithm>

using namespace tessera::emu;

namespace {

/// Bytes that a swizzle keeps together.
constexpr uint32_t kSwizzledPart = 16;

/// Joins adjacent pieces, and applies the swizzle.
class PieceSink {
public:
  PieceSink(uint32_t span,
            llvm::function_ref<void(const TensorCopyPiece &)> visit)
      : span(span), visit(visit) {}

  void add(const TensorCopyPiece &piece) {
    if (piece.bytes == 0)
      return;
    if (span != 0)
      return addParts(piece);
    if (!pending) {
      pending = piece;
    } else if (piece.global
                   ? pending->global &&
                         *piece.global == *pending->global + pending->bytes
                   : !pending->global) {
      // They are contiguous in shared memory anyway: boxes are packed.
      pending->bytes += piece.bytes;
    } else {
      visit(*pending);
      pending = piece;
    }
  }

  void finish() {
    if (pending)
      visit(*pending);
  }

private:
  void addParts(TensorCopyPiece piece) {
    while (piece.bytes != 0) {
      uint32_t bytes =
          std::min(piece.bytes, kSwizzledPart - piece.shared % kSwizzledPart);
      visit({piece.global, swizzle(piece.shared), bytes});
      if (piece.global)
        *piece.global += bytes;
      piece.shared += bytes;
      piece.bytes -= bytes;
    }
  }

  /// PTX ISA, "Swizzling Modes": parts of 16 bytes are exchanged within rows of
  /// `span` bytes. For every span, the pattern repeats every eight rows of 128
  /// bytes, and begins at multiples of that size in shared memory.
  uint32_t swizzle(uint32_t address) const {
    uint32_t row = address / 128;
    return address ^ (row % (span / kSwizzledPart) * kSwizzledPart);
  }

  uint32_t span;
  llvm::function_ref<void(const TensorCopyPiece &)> visit;
  std::optional<TensorCopyPiece> pending;
};

} // namespace

/// Splits one row, whose first element has the coordinate `column`, at the
/// bounds of the tensor.
static void addBoxRow(const TensorMap &map, int64_t column,
                      std::optional<uint64_t> global, uint32_t shared,
                      PieceSink &pieces) {
  int64_t extent = map.box[0];
  uint32_t bytes = map.getElementBytes();
  int64_t end = static_cast<int64_t>(map.dims[0]);
  // Elements from `first` to `last` are within bounds.
  int64_t first = std::clamp<int64_t>(-column, 0, extent);
  int64_t last = std::clamp<int64_t>(end - column, first, extent);
  if (!global)
    first = last = extent;
  auto at = [&](int64_t i) {
    return shared + static_cast<uint32_t>(i) * bytes;
  };
  auto count = [&](int64_t n) { return static_cast<uint32_t>(n) * bytes; };
  pieces.add({std::nullopt, shared, count(first)});
  if (last > first)
    pieces.add({*global + static_cast<uint64_t>(column + first) * bytes,
                at(first), count(last - first)});
  pieces.add({std::nullopt, at(last), count(extent - last)});
}

void tessera::emu::visitTensorCopy(
    const TensorMap &map, llvm::ArrayRef<int32_t> coordinates, uint32_t shared,
    llvm::function_ref<void(const TensorCopyPiece &)> visit) {
  PieceSink pieces(map.getSwizzleSpan(), visit);
  uint32_t rowBytes = map.box[0] * map.getElementBytes();
  // Counts the rows of the box; dimension 1 is the fastest.
  std::array<uint32_t, TensorMap::kMaxRank> index{};
  while (true) {
    std::optional<uint64_t> global = map.address;
    for (unsigned dim = 1; dim < map.rank; ++dim) {
      int64_t coordinate = int64_t(coordinates[dim]) +
                           int64_t(index[dim]) * map.elementStrides[dim];
      if (coordinate < 0 || coordinate >= static_cast<int64_t>(map.dims[dim])) {
        global = std::nullopt;
        break;
      }
      *global += static_cast<uint64_t>(coordinate) * map.strides[dim - 1];
    }
    addBoxRow(map, coordinates[0], global, shared, pieces);
    shared += rowBytes;
    unsigned dim = 1;
    for (; dim < map.rank; ++dim) {
      if (++index[dim] < map.getBoxExtent(dim))
        break;
      index[dim] = 0;
    }
    if (dim >= map.rank)
      break;
  }
  pieces.finish();
}
