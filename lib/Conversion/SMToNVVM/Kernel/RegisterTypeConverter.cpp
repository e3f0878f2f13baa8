//===- RegisterTypeConverter.cpp - Tiles as registers -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A 1:N type conversion: a tile becomes one value for each register of a
// thread, or one for each pair of 16-bit floats. Unrealized casts connect the
// two forms during the conversion.
//
//===----------------------------------------------------------------------===//

#include "RegisterTypeConverter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace tessera;
using namespace tessera::sm;

Type sm::getStorageType(Type element) {
  if (isa<Float8E4M3FNType, Float8E5M2Type>(element))
    return IntegerType::get(element.getContext(), 8);
  return element;
}

int64_t sm::getNumRegisters(Type tile) {
  return getLayout(tile).getSize(layout::kRegister);
}

bool sm::isPacked(RankedTensorType tile) {
  return isa<Float16Type, BFloat16Type>(tile.getElementType()) &&
         getNumRegisters(tile) % 2 == 0;
}

/// Appends the types of the values that `tile` becomes.
static void convertTile(RankedTensorType tile, SmallVectorImpl<Type> &types) {
  int64_t registers = getNumRegisters(tile);
  if (isPacked(tile))
    types.append(registers / 2, VectorType::get(2, tile.getElementType()));
  else
    types.append(registers, getStorageType(tile.getElementType()));
}

/// Casts between the old and the new form of a value, while both are in use.
static Value castFrom(OpBuilder &builder, Type type, ValueRange values,
                      Location loc) {
  return UnrealizedConversionCastOp::create(builder, loc, type, values)
      .getResult(0);
}

static SmallVector<Value> castTo(OpBuilder &builder, TypeRange types,
                                 ValueRange values, Location loc) {
  return llvm::to_vector_of<Value>(
      UnrealizedConversionCastOp::create(builder, loc, types, values)
          .getResults());
}

RegisterTypeConverter::RegisterTypeConverter() {
  addConversion([](Type type) { return type; });
  addConversion([](FloatType type) { return getStorageType(type); });
  addConversion(
      [](RankedTensorType type,
         SmallVectorImpl<Type> &types) -> std::optional<LogicalResult> {
        if (!isRegisterTile(type))
          return std::nullopt;
        convertTile(type, types);
        return success();
      });
  addConversion([](PendingType type, SmallVectorImpl<Type> &types) {
    convertTile(type.getTensor(), types);
    return success();
  });
  auto toAddress = [](Type type) {
    return IntegerType::get(type.getContext(), 32);
  };
  addConversion([=](SmemType type) { return toAddress(type); });
  addConversion([=](SlotsType type) { return toAddress(type); });
  addConversion([=](MbarrierType type) { return toAddress(type); });
  addConversion([=](WordsType type) { return toAddress(type); });
  addSourceMaterialization(castFrom);
  addTargetMaterialization(castTo);
}

SmallVector<Value> sm::unpackRegisters(OpBuilder &builder, Location loc,
                                       RankedTensorType tile,
                                       ValueRange values) {
  if (!isPacked(tile))
    return llvm::to_vector_of<Value>(values);
  SmallVector<Value> registers;
  for (Value pair : values)
    for (int64_t half : {0, 1}) {
      Value position = LLVM::ConstantOp::create(
          builder, loc, builder.getI32Type(), builder.getI32IntegerAttr(half));
      registers.push_back(
          LLVM::ExtractElementOp::create(builder, loc, pair, position));
    }
  return registers;
}

SmallVector<Value> sm::packRegisters(OpBuilder &builder, Location loc,
                                     RankedTensorType tile,
                                     ValueRange registers) {
  if (!isPacked(tile))
    return llvm::to_vector_of<Value>(registers);
  SmallVector<Value> values;
  Type type = VectorType::get(2, tile.getElementType());
  for (unsigned i = 0; i < registers.size(); i += 2) {
    Value pair = LLVM::PoisonOp::create(builder, loc, type);
    for (unsigned half : {0, 1}) {
      Value position = LLVM::ConstantOp::create(
          builder, loc, builder.getI32Type(), builder.getI32IntegerAttr(half));
      pair = LLVM::InsertElementOp::create(builder, loc, pair,
                                           registers[i + half], position);
    }
    values.push_back(pair);
  }
  return values;
}
