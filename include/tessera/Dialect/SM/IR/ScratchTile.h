//===- ScratchTile.h - A tile on its way through memory ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles that change hands lie in scratch memory row by row; rows are padded by
// 16 bytes, so that columns are spread over the banks. A tile that is larger
// than scratch memory may be goes in rounds: in each, a part of the tile, all
// that lies in a window of addresses, is written and read.
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
  /// The widest access for `registers`, in elements.
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
