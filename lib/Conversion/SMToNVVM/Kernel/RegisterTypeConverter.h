//===- RegisterTypeConverter.h - Tiles as registers -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile in registers becomes the values that one thread holds of it, in the
// order of its registers:
//
//   16-bit floats   vector<2xT> for registers 2i and 2i+1, if their number is
//                   even; else T
//   8-bit floats    i8
//   others          the element type
//
// A pending tile becomes the registers of its tile. Shared tiles, slots and
// barriers become the i32 address of their first byte. `index` remains until
// the scalar code is lowered (to i32).
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_REGISTERTYPECONVERTER_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_REGISTERTYPECONVERTER_H

#include "tessera/Dialect/SM/IR/SM.h"

#include "mlir/Transforms/DialectConversion.h"

namespace tessera::sm {

class RegisterTypeConverter : public TypeConverter {
public:
  RegisterTypeConverter();
};

/// Checks whether two registers of a tile with elements of `element` share a
/// value.
bool isPacked(RankedTensorType tile);

/// Returns the type in which one element is held: i8 for 8-bit floats.
Type getStorageType(Type element);

/// Returns the number of elements that a thread holds of a tile.
int64_t getNumRegisters(Type tile);

/// Returns one value of the storage type for each register of `tile`.
SmallVector<Value> unpackRegisters(OpBuilder &builder, Location loc,
                                   RankedTensorType tile, ValueRange values);
/// Returns the values that `tile` becomes, from its registers.
SmallVector<Value> packRegisters(OpBuilder &builder, Location loc,
                                 RankedTensorType tile, ValueRange registers);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_REGISTERTYPECONVERTER_H
