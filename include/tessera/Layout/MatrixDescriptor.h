//===- MatrixDescriptor.h - Descriptors of wgmma operands -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma reads an operand through a 64-bit descriptor (PTX ISA, "Matrix
// descriptor format"). With span W and a 32-byte step of K, it finds
//
//   K-major   (mn, k) at start + mn/8*SBO + mn%8*W + k
//   MN-major  (mn, k) at start + mn/W*LBO + k/8*SBO + k%8*W + mn%W
//
// with the index of the major dimension, k or mn, in bytes, and swizzles the
// sum. The fields are derived from a layout, and the formula is then checked
// for every element. A tile that wgmma would read wrongly is thus refused.
// Tiles without a swizzle are refused: TMA can always swizzle.
//
// For 16-bit elements, the formula and these derivations were run on an H200:
// m64nNk16 over K = 64, with A and B each K-major and MN-major. All 36 pairs,
// in three swizzles and with N from 80 to 192, were right in every element.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LAYOUT_MATRIXDESCRIPTOR_H
#define TESSERA_LAYOUT_MATRIXDESCRIPTOR_H

#include "tessera/Layout/SharedTile.h"

namespace tessera::layout {

struct MatrixDescriptor {
  bool isTransposed = false; // MN-major: the tnsp operand of the instruction
  Swizzle swizzle = Swizzle::None;
  int64_t leadingBytes = 16; // LBO; 16 where it is ignored
  int64_t strideBytes = 0;   // SBO
  int64_t steps = 0;         // of 32 bytes along K
  /// By [block of rows or columns][step]: the start, in bytes from the tile.
  std::vector<int64_t> starts;

  int64_t getStart(int64_t block, int64_t step) const {
    return starts[block * steps + step];
  }

  /// Encodes the descriptor of an operand that starts at `address`. In a
  /// cluster, the rank of the CTA is above bit 18 of an address, and is masked.
  uint64_t encode(uint32_t address) const;
};

/// Returns the descriptor for a 2-D tile with the contracted dimension `kDim`.
/// An instruction reads `block` rows (A: 64) or columns (B: N).
llvm::Expected<MatrixDescriptor> getMatrixDescriptor(const Layout &shared,
                                                     int64_t elementBytes,
                                                     unsigned kDim,
                                                     int64_t block);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_MATRIXDESCRIPTOR_H
