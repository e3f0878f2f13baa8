//===- ScratchTile.h - A tile on its way through memory ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles that move between threads are in scratch memory row by row. Rows are
// padded by 16 bytes, so that columns are spread over the banks. A tile that
// exceeds the limit of scratch memory goes in rounds. Each round writes and
// reads the part of the tile in a window of addresses.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_IR_SCRATCHTILE_H
#define TESSERA_DIALECT_SM_IR_SCRATCHTILE_H

#include "tessera/Layout/Layout.h"
#include "tessera/Support/LLVM.h"

namespace tessera::sm {

class ScratchTile {
public:
  ScratchTile(ArrayRef<int64_t> shape, int64_t elementBytes);

  ArrayRef<int64_t> getStrides() const { return strides; }
  int64_t getElementBytes() const { return elementBytes; }
  /// With padding.
  int64_t getNumElements() const { return elements; }
  int64_t getRounds() const;
  /// Of the window of one round.
  int64_t getBytes() const;
  /// Returns the widest access for `registers`, in elements.
  int64_t getVectorWidth(const layout::Layout &registers) const;
  /// Elements of a window.
  int64_t getWindow() const;

private:
  SmallVector<int64_t> strides;
  int64_t elements = 1;
  int64_t elementBytes;
};

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_IR_SCRATCHTILE_H
