//===- ScalarMath.cpp - Operations on one element ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Selects the cheapest instruction for each operation and type. Approximations
// are used only with the error bounds that the comments name. Narrow floats are
// widened to f32 and rounded once.
//
//===----------------------------------------------------------------------===//

#include "ScalarMath.h"

#include "tessera/Dialect/Tile/IR/Asm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace tessera;
using namespace tessera::sm;

static bool isByteFloat(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

/// Returns the element type of an operand or result.
static Type getElement(Value value) {
  return getElementTypeOrSelf(value.getType());
}

//===----------------------------------------------------------------------===//
// Conversions of floats
//===----------------------------------------------------------------------===//

static Value emitAsm(OpBuilder &builder, Location loc, Type result,
                     StringRef text, StringRef constraints,
                     ValueRange operands) {
  return LLVM::InlineAsmOp::create(
             builder, loc, result, operands, text, constraints,
             /*has_side_effects=*/false, /*is_align_stack=*/false,
             LLVM::TailCallKind::None,
             LLVM::AsmDialectAttr::get(builder.getContext(),
                                       LLVM::AsmDialect::AD_ATT),
             /*operand_attrs=*/ArrayAttr())
      .getResult(0);
}

Value sm::emitWiden(OpBuilder &builder, Location loc, Type element,
                    Value value) {
  Type f32 = builder.getF32Type();
  if (element.isF32() || element.isF64())
    return value;
  if (!isByteFloat(element))
    return LLVM::FPExtOp::create(builder, loc, f32, value);
  // The instruction converts pairs; the upper byte is 0.
  Value pair = LLVM::ZExtOp::create(builder, loc, builder.getI16Type(), value);
  StringRef text = isa<Float8E4M3FNType>(element)
                       ? "cvt.rn.f16x2.e4m3x2 $0, $1;"
                       : "cvt.rn.f16x2.e5m2x2 $0, $1;";
  Value halves =
      emitAsm(builder, loc, builder.getI32Type(), text, "=r,h", pair);
  Value low = LLVM::TruncOp::create(builder, loc, builder.getI16Type(), halves);
  Value half = LLVM::BitcastOp::create(builder, loc, builder.getF16Type(), low);
  return LLVM::FPExtOp::create(builder, loc, f32, half);
}

/// Emits a conversion to 8 bits, which saturates. An overflow must become a
/// NaN, or an infinity if the format has one. It starts where the magnitude no
/// longer rounds to the largest number.
static Value emitNarrowToByte(OpBuilder &builder, Location loc, Type element,
                              Value value) {
  Type i8 = builder.getI8Type(), i16 = builder.getI16Type();
  bool hasInfinity = isa<Float8E5M2Type>(element);
  auto f32 = [&](float constant) -> Value {
    return LLVM::ConstantOp::create(builder, loc, builder.getF32Type(),
                                    builder.getF32FloatAttr(constant));
  };
  Value pair = emitAsm(builder, loc, i16,
                       hasInfinity ? "cvt.rn.satfinite.e5m2x2.f32 $0, $1, $2;"
                                   : "cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;",
                       "=h,f,f", {f32(0), value});
  Value bits = LLVM::TruncOp::create(builder, loc, i8, pair);
  auto byte = [&](int8_t constant) -> Value {
    return LLVM::ConstantOp::create(builder, loc, i8,
                                    builder.getI8IntegerAttr(constant));
  };
  Value magnitude = LLVM::FAbsOp::create(builder, loc, value);
  Value overflows =
      hasInfinity ? LLVM::FCmpOp::create(builder, loc, LLVM::FCmpPredicate::oge,
                                         magnitude, f32(61440))
                  : LLVM::FCmpOp::create(builder, loc, LLVM::FCmpPredicate::ogt,
                                         magnitude, f32(464));
  Value sign = LLVM::AndOp::create(builder, loc, bits, byte(-128));
  Value special =
      LLVM::OrOp::create(builder, loc, sign, byte(hasInfinity ? 0x7c : 0x7f));
  return LLVM::SelectOp::create(builder, loc, overflows, special, bits);
}

Value sm::emitNarrow(OpBuilder &builder, Location loc, Type element,
                     Value value) {
  if (element.isF32())
    return value;
  if (isByteFloat(element))
    return emitNarrowToByte(builder, loc, element, value);
  return LLVM::FPTruncOp::create(builder, loc, element, value);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

bool sm::isPackedInstruction(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::MaximumFOp,
             arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp,
             arith::NegFOp, math::FmaOp, math::AbsFOp>(op);
}

/// Emits `op` on scalars, with the same properties.
static Value emitScalar(OpBuilder &builder, Operation *op, Type type,
                        ValueRange operands) {
  Operation *scalar = Operation::create(
      op->getLoc(), op->getName(), type, operands, NamedAttrList(),
      op->getPropertiesStorage(), /*successors=*/BlockRange(),
      /*numRegions=*/0);
  return builder.insert(scalar)->getResult(0);
}

Value sm::emitPackedElements(OpBuilder &builder, Operation *op,
                             ValueRange pairs) {
  if (isa<math::FmaOp>(op))
    return LLVM::FMAOp::create(builder, op->getLoc(), pairs[0], pairs[1],
                               pairs[2]);
  if (isa<math::AbsFOp>(op))
    return LLVM::FAbsOp::create(builder, op->getLoc(), pairs[0]);
  return emitScalar(builder, op, pairs[0].getType(), pairs);
}

/// Returns the number that all elements of `value`, a scalar or a tile, hold,
/// if it is known.
static std::optional<double> getConstant(Value value) {
  Attribute attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return std::nullopt;
  if (auto elements = dyn_cast<DenseFPElementsAttr>(attribute))
    return elements.isSplat()
               ? std::optional(
                     elements.getSplatValue<APFloat>().convertToDouble())
               : std::nullopt;
  auto scalar = dyn_cast<FloatAttr>(attribute);
  return scalar ? std::optional(scalar.getValueAsDouble()) : std::nullopt;
}

/// Checks whether `op` is 1 / (c + exp x) with c >= 1, as in a sigmoid. The
/// divisor may be infinite, but it is never so small that its reciprocal would
/// need scaling.
static bool isReciprocalOfLarge(arith::DivFOp op) {
  auto sum = op.getRhs().getDefiningOp<arith::AddFOp>();
  if (!sum || getConstant(op.getLhs()) != 1)
    return false;
  auto isLarge = [](Value constant, Value power) {
    return getConstant(constant).value_or(0) >= 1 &&
           isa_and_nonnull<math::ExpOp, math::Exp2Op>(power.getDefiningOp());
  };
  return isLarge(sum.getLhs(), sum.getRhs()) ||
         isLarge(sum.getRhs(), sum.getLhs());
}

/// Emits `op` on f32 operands.
static Value emitInF32(OpBuilder &builder, Operation *op, ValueRange operands,
                       Arguments arguments) {
  Location loc = op->getLoc();
  Type f32 = builder.getF32Type();
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::DivFOp division) {
        // Error of one unit in the last place; denormal results become 0.
        if (isReciprocalOfLarge(division))
          return emitIntrinsic(builder, loc, "llvm.nvvm.rcp.approx.ftz.f", f32,
                               operands[1]);
        // Error of 2 units in the last place over the whole range.
        return emitIntrinsic(builder, loc, "llvm.nvvm.div.full", f32, operands);
      })
      .Case([&](math::FmaOp) {
        return LLVM::FMAOp::create(builder, loc, operands[0], operands[1],
                                   operands[2]);
      })
      .Case<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp,
            arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
            arith::MinNumFOp>(
          [&](auto) { return emitScalar(builder, op, f32, operands); })
      .Case([&](math::CopySignOp) {
        return LLVM::CopySignOp::create(builder, loc, operands[0], operands[1]);
      })
      .Default([&](Operation *) {
        if (Value wide = emitWideFunction(builder, op, operands, arguments))
          return wide;
        return operands.size() == 1
                   ? emitFunction(builder, loc, op->getName().getStringRef(),
                                  operands[0])
                   : Value();
      });
}

/// Emits `op` on f64 operands. All results are rounded to nearest even, except
/// for the reciprocal of a root, which is rounded twice.
static Value emitInF64(OpBuilder &builder, Operation *op, ValueRange operands) {
  Location loc = op->getLoc();
  Type f64 = builder.getF64Type();
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
            arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
            arith::MaxNumFOp, arith::MinNumFOp>(
          [&](auto) { return emitScalar(builder, op, f64, operands); })
      .Case([&](math::FmaOp) {
        return LLVM::FMAOp::create(builder, loc, operands[0], operands[1],
                                   operands[2]);
      })
      .Case([&](math::CopySignOp) {
        return LLVM::CopySignOp::create(builder, loc, operands[0], operands[1]);
      })
      .Case([&](math::AbsFOp) {
        return LLVM::FAbsOp::create(builder, loc, operands[0]);
      })
      .Case([&](math::CeilOp) {
        return LLVM::FCeilOp::create(builder, loc, operands[0]);
      })
      .Case([&](math::FloorOp) {
        return LLVM::FFloorOp::create(builder, loc, operands[0]);
      })
      .Case([&](math::TruncOp) {
        return LLVM::FTruncOp::create(builder, loc, operands[0]);
      })
      .Case([&](math::RoundEvenOp) {
        return LLVM::RoundEvenOp::create(builder, loc, operands[0]);
      })
      .Case([&](math::SqrtOp) {
        return LLVM::SqrtOp::create(builder, loc, operands[0]);
      })
      .Case([&](math::RsqrtOp) {
        Value one = LLVM::ConstantOp::create(builder, loc, f64,
                                             builder.getF64FloatAttr(1));
        Value root = LLVM::SqrtOp::create(builder, loc, operands[0]);
        return LLVM::FDivOp::create(builder, loc, one, root);
      })
      .Default([](Operation *) { return Value(); });
}

static Value emitCast(OpBuilder &builder, Operation *op, Value operand) {
  Location loc = op->getLoc();
  Type from = getElement(op->getOperand(0));
  Type to = getElement(op->getResult(0));
  if (isa<arith::ExtFOp>(op) && to.isF64())
    return LLVM::FPExtOp::create(builder, loc, to,
                                 emitWiden(builder, loc, from, operand));
  if (isa<arith::TruncFOp>(op) && from.isF64())
    return isByteFloat(to)
               ? Value()
               : Value(LLVM::FPTruncOp::create(builder, loc, to, operand));
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return emitNarrow(builder, loc, to, emitWiden(builder, loc, from, operand));
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
    return emitScalar(builder, op, to, emitWiden(builder, loc, from, operand));
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op)) {
    if (!isByteFloat(to))
      return emitScalar(builder, op, to, operand);
    return emitNarrow(builder, loc, to,
                      emitScalar(builder, op, builder.getF32Type(), operand));
  }
  return Value();
}

/// Returns the type and the constraint of an element in inline assembly.
static std::pair<Type, StringRef> getRegister(Type element) {
  Builder builder(element.getContext());
  switch (*tile::getRegisterType(element)) {
  case emu::Type::F32:
    return {element, "f"};
  case emu::Type::F64:
    return {element, "d"};
  case emu::Type::S32:
    return {element, "r"};
  case emu::Type::S64:
    return {element, "l"};
  default:
    return {builder.getI16Type(), "h"};
  }
}

/// Emits inline assembly. The text may write its result before it has read all
/// operands, so they do not share a register.
static Value emitText(OpBuilder &builder, tile::AsmOp op, ValueRange operands) {
  Location loc = op.getLoc();
  auto convert = [&](Value value, Type type) -> Value {
    return value.getType() == type
               ? value
               : LLVM::BitcastOp::create(builder, loc, type, value);
  };
  Type element = getElement(op.getResult());
  auto [type, constraint] = getRegister(element);
  std::string constraints = ("=&" + constraint).str();
  SmallVector<Value> registers;
  for (Value operand : operands) {
    auto [type, constraint] = getRegister(operand.getType());
    constraints += ("," + constraint).str();
    registers.push_back(convert(operand, type));
  }
  Value result =
      emitAsm(builder, loc, type, ("{ " + op.getText() + "\n}").str(),
              constraints, registers);
  return convert(result, element);
}

/// Checks whether elements of type `element` have arguments that are rare for
/// a function. The range of f16 has none.
static bool hasRareArguments(Type element) {
  return element.isF32() || element.isBF16();
}

Value sm::emitIsRareElement(OpBuilder &builder, Operation *op,
                            ValueRange operands) {
  Type element = getElement(op->getOperand(0));
  if (isa<tile::AsmOp>(op) || !hasRareArguments(element))
    return Value();
  SmallVector<Value> wide;
  for (Value value : operands)
    wide.push_back(emitWiden(builder, op->getLoc(), element, value));
  return emitIsRare(builder, op, wide);
}

FailureOr<Value> sm::emitElement(OpBuilder &builder, Operation *op,
                                 ValueRange operands, Arguments arguments) {
  Location loc = op->getLoc();
  if (auto text = dyn_cast<tile::AsmOp>(op))
    return emitText(builder, text, operands);
  Type type = getElement(op->getResult(0));
  Type first = getElement(op->getOperand(0));
  if (Value cast = emitCast(builder, op, operands[0]))
    return cast;
  if (isa<arith::BitcastOp>(op)) {
    if (operands[0].getType().isInteger() && isByteFloat(type))
      return operands[0];
    return LLVM::BitcastOp::create(
               builder, loc, isByteFloat(type) ? builder.getI8Type() : type,
               operands[0])
        .getResult();
  }
  if (isa<arith::SelectOp>(op))
    return LLVM::SelectOp::create(builder, loc, operands[0], operands[1],
                                  operands[2])
        .getResult();
  if (isa<math::AbsIOp>(op) && type.isIndex()) {
    // It becomes a 32-bit number later, with the rest of arith.
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value negated = arith::SubIOp::create(builder, loc, zero, operands[0]);
    return arith::MaxSIOp::create(builder, loc, operands[0], negated)
        .getResult();
  }
  if (isa<math::AbsIOp>(op))
    return LLVM::AbsOp::create(builder, loc, type, operands[0],
                               /*is_int_min_poison=*/false)
        .getResult();
  if (isa<math::CtPopOp>(op))
    return LLVM::CtPopOp::create(builder, loc, type, operands[0]).getResult();
  if (isa<math::CountLeadingZerosOp>(op))
    return LLVM::CountLeadingZerosOp::create(builder, loc, type, operands[0],
                                             /*is_zero_poison=*/false)
        .getResult();
  if (!isa<FloatType>(first)) {
    if (isa<arith::ArithDialect>(op->getDialect()))
      return emitScalar(builder, op, type, operands);
  } else if (isa<arith::CmpFOp>(op)) {
    SmallVector<Value> wide = llvm::to_vector(operands);
    if (isByteFloat(first))
      for (Value &value : wide)
        value = emitWiden(builder, loc, first, value);
    return emitScalar(builder, op, type, wide);
  } else if (isa<Float16Type, BFloat16Type>(first) && isPackedInstruction(op)) {
    return emitPackedElements(builder, op, operands);
  } else if (first.isF64()) {
    if (Value result = emitInF64(builder, op, operands))
      return result;
    return op->emitOpError() << "on " << first
                             << " has no instruction on this target; convert "
                                "its operands to f32";
  } else {
    SmallVector<Value> wide;
    for (Value value : operands)
      wide.push_back(emitWiden(builder, loc, first, value));
    if (!hasRareArguments(first))
      arguments = Arguments::Frequent;
    if (Value result = emitInF32(builder, op, wide, arguments))
      return emitNarrow(builder, loc, type, result);
  }
  return op->emitOpError() << "on " << first
                           << " has no instruction on this target; write it "
                              "with exp2, log2 and arithmetic";
}
