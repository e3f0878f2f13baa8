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
// A pending tile becomes what its tile becomes. Shared tiles, slots and
// barriers become the i32 address of their first byte. `index` stays until the
// scalar code is lowered (to i32).
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

/// One value for each register of `tile`, of its storage type.
SmallVector<Value> unpackRegisters(OpBuilder &builder, Location loc,
                                   RankedTensorType tile, ValueRange values);
/// The other way: the values that `tile` becomes.
SmallVector<Value> packRegisters(OpBuilder &builder, Location loc,
                                 RankedTensorType tile, ValueRange registers);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_REGISTERTYPECONVERTER_H
