//===- TileAsmOp.cpp - Instructions of PTX on elements ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifier. C1, C2, … are the constraints of the op's description in ODS. The
// emulator parses the text.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/IR/Asm.h"

#include "mlir/IR/TypeUtilities.h"

using namespace tessera;
using namespace tessera::tile;

std::optional<emu::Type> tile::getRegisterType(Type element) {
  if (element.isF16())
    return emu::Type::F16;
  if (element.isBF16())
    return emu::Type::BF16;
  if (element.isF32())
    return emu::Type::F32;
  if (element.isF64())
    return emu::Type::F64;
  if (element.isInteger(16))
    return emu::Type::S16;
  if (element.isInteger(32))
    return emu::Type::S32;
  if (element.isInteger(64))
    return emu::Type::S64;
  return std::nullopt;
}

std::unique_ptr<const emu::ElementProgram>
tile::parseElementProgram(AsmOp op, emu::TextError &error) {
  auto getRegister = [](Value value) {
    return *getRegisterType(getElementTypeOrSelf(value.getType()));
  };
  return emu::ElementProgram::parse(
      op.getText(), getRegister(op.getResult()),
      llvm::map_to_vector(op.getSources(), getRegister), error);
}

bool tile::isArithmetic(Operation *op) {
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
         isa<AsmOp>(op);
}

/// Returns `type` with the elements of `other`.
static Type withElementsOf(Type type, Type other) {
  auto tile = dyn_cast<RankedTensorType>(type);
  Type element = getElementTypeOrSelf(other);
  return tile ? tile.clone(element) : element;
}

LogicalResult AsmOp::verify() {
  if (getSources().empty()) // C1
    return emitOpError() << "expected an operand";
  for (Type type :
       llvm::concat<const Type>(getOperandTypes(), (*this)->getResultTypes())) {
    if (!getRegisterType(getElementTypeOrSelf(type))) // C1
      return emitOpError() << "expected elements of f16, bf16, f32, f64, i16, "
                              "i32 or i64, got "
                           << type;
    if (type != withElementsOf(getType(), type)) // C2
      return emitOpError() << "expected operands and a result of one shape, "
                              "got "
                           << type << " and " << getType();
  }
  if (auto tile = dyn_cast<RankedTensorType>(getType()))
    if (failed(verifyTileShape([&] { return emitOpError(); }, tile.getShape())))
      return failure();
  emu::TextError error;
  if (!parseElementProgram(*this, error)) { // C3
    InFlightDiagnostic diagnostic = emitOpError();
    if (error.line)
      diagnostic << "line " << error.line << ", column " << error.column
                 << ": ";
    return diagnostic << error.message;
  }
  return success();
}
