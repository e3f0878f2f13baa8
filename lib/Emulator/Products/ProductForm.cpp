//===- ProductForm.cpp - The forms of wgmma.mma_async -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks the name and the operands of a wgmma.mma_async against the tables of
// the PTX ISA: types, shape, number of registers, immediates. The k of a form
// follows from its types. All errors are reported when the instruction is
// decoded.
//
//===----------------------------------------------------------------------===//

#include "tessera/Emulator/MatrixProduct.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"

using namespace tessera::emu;
using llvm::createStringError;
using llvm::Error;
using llvm::Twine;

/// Parses a type of products.
static std::optional<Type> parseProductType(StringRef text) {
  return llvm::StringSwitch<std::optional<Type>>(text)
      .Case("f16", Type::F16)
      .Case("bf16", Type::BF16)
      .Case("tf32", Type::TF32)
      .Case("f32", Type::F32)
      .Case("e4m3", Type::E4M3)
      .Case("e5m2", Type::E5M2)
      .Case("s8", Type::S8)
      .Case("u8", Type::U8)
      .Case("s32", Type::S32)
      .Default(std::nullopt);
}

/// "m64n256k16".
static bool parseProductShape(StringRef text, unsigned &m, unsigned &n,
                              unsigned &k) {
  return text.consume_front("m") && !text.consumeInteger(10, m) &&
         text.consume_front("n") && !text.consumeInteger(10, n) &&
         text.consume_front("k") && !text.consumeInteger(10, k) && text.empty();
}

static bool isProductF8(Type type) {
  return type == Type::E4M3 || type == Type::E5M2;
}

static bool isProductInteger8(Type type) {
  return type == Type::S8 || type == Type::U8;
}

/// Returns k for the types of a product; 0 if they do not form one.
static unsigned getProductK(const ProductForm &form) {
  bool isSame = form.a == form.b;
  if (isSame && form.a == Type::F16)
    return form.d == Type::F32 || form.d == Type::F16 ? 16 : 0;
  if (isSame && form.a == Type::BF16)
    return form.d == Type::F32 ? 16 : 0;
  if (isSame && form.a == Type::TF32)
    return form.d == Type::F32 ? 8 : 0;
  if (isProductF8(form.a) && isProductF8(form.b))
    return form.d == Type::F32 || form.d == Type::F16 ? 32 : 0;
  if (isProductInteger8(form.a) && isProductInteger8(form.b))
    return form.d == Type::S32 ? 32 : 0;
  return 0;
}

/// PTX ISA, "Matrix Shape" of wgmma.
static bool isValidN(const ProductForm &form) {
  if (form.n < 8 || form.n > 256 || form.n % 8 != 0)
    return false;
  return form.d != Type::S32 || form.n % 16 == 0 || form.n == 8 || form.n == 24;
}

static Error failForm(const Instruction &instruction, const Twine &message) {
  return createStringError("'" + Twine(instruction.name) + "': " + message);
}

static Error parseProductName(const Instruction &instruction,
                              ProductForm &form) {
  ArrayRef<StringRef> parts = instruction.parts;
  if (parts.size() < 2 || parts[0] != "wgmma" || parts[1] != "mma_async")
    return failForm(instruction, "expected 'wgmma.mma_async'");
  bool isSync = false, isAligned = false;
  StringRef shape;
  SmallVector<Type, 3> types;
  for (StringRef part : parts.drop_front(2)) {
    if (part == "sync")
      isSync = true;
    else if (part == "aligned")
      isAligned = true;
    else if (part == "satfinite")
      form.isSaturating = true;
    else if (part == "sp")
      return failForm(instruction,
                      "products of sparse matrices are not emulated");
    else if (part == "b1")
      return failForm(instruction,
                      "products of matrices of single bits are not emulated");
    else if (std::optional<Type> type = parseProductType(part))
      types.push_back(*type);
    else if (part.starts_with("m") && shape.empty())
      shape = part;
    else
      return failForm(instruction, "unknown part '." + part + "'");
  }
  if (!isSync || !isAligned)
    return failForm(instruction, "expected '.sync.aligned'");
  unsigned m = 0;
  if (!parseProductShape(shape, m, form.n, form.k))
    return failForm(instruction, "expected a shape such as '.m64n128k16'");
  if (types.size() != 3)
    return failForm(instruction, "expected the types of D, A and B");
  form.d = types[0];
  form.a = types[1];
  form.b = types[2];
  unsigned k = getProductK(form);
  if (k == 0)
    return failForm(instruction, "there are no products of these types");
  if (m != ProductForm::kM || form.k != k)
    return failForm(instruction,
                    "products of these types have the shape m64n*k" + Twine(k));
  if (!isValidN(form))
    return failForm(
        instruction,
        form.d == Type::S32
            ? "integer products have an n of 8, 24 or a multiple of 16 "
              "up to 256"
            : "n has to be a multiple of 8 up to 256");
  if (form.isSaturating && form.d != Type::S32)
    return failForm(instruction, "'.satfinite' is for integer products");
  return Error::success();
}

static bool isDescriptorOperand(const Operand &operand) {
  return operand.kind == Operand::Register || operand.kind == Operand::Integer;
}

static Error checkProductOperands(const Instruction &instruction,
                                  const ProductForm &form) {
  ArrayRef<Operand> operands = instruction.operands;
  if (operands.size() != form.countOperands())
    return failForm(instruction, "expected " + Twine(form.countOperands()) +
                                     " operands, got " +
                                     Twine(operands.size()));
  auto checkVector = [&](unsigned place, StringRef name,
                         unsigned count) -> Error {
    const Operand &operand = operands[place];
    if (operand.kind != Operand::Vector || operand.elements.size() != count)
      return failForm(instruction, "operand " + name +
                                       " has to be a vector of " +
                                       Twine(count) + " registers");
    for (const Operand &element : operand.elements)
      if (element.kind != Operand::Register)
        return failForm(instruction, "operand " + name +
                                         " has an element that is no register");
    return Error::success();
  };
  if (Error error = checkVector(ProductForm::kD, "D", form.countAccumulators()))
    return error;
  if (form.aInRegisters) {
    if (Error error = checkVector(ProductForm::kA, "A", form.countARegisters()))
      return error;
  } else if (!isDescriptorOperand(operands[ProductForm::kA])) {
    return failForm(instruction, "operand A has to be a matrix descriptor or a "
                                 "vector of registers");
  }
  if (!isDescriptorOperand(operands[ProductForm::kB]))
    return failForm(instruction, "operand B has to be a matrix descriptor");
  Operand::Kind scale = operands[ProductForm::kScaleD].kind;
  if (scale != Operand::Register && scale != Operand::Negated &&
      scale != Operand::Integer)
    return failForm(instruction, "scale-d has to be a predicate");
  return Error::success();
}

llvm::Expected<ProductForm> ProductForm::get(const Instruction &instruction) {
  ProductForm form;
  if (Error error = parseProductName(instruction, form))
    return error;
  form.aInRegisters = instruction.operands.size() > kA &&
                      instruction.operands[kA].kind == Operand::Vector;
  if (Error error = checkProductOperands(instruction, form))
    return error;
  // Check the immediates here as well, so that all errors come before
  // execution.
  if (auto immediates = ProductImmediates::get(form, instruction); !immediates)
    return immediates.takeError();
  return form;
}

llvm::Expected<ProductImmediates>
ProductImmediates::get(const ProductForm &form,
                       const Instruction &instruction) {
  ProductImmediates result;
  unsigned next = ProductForm::kScaleD + 1;
  auto read = [&](StringRef name, int64_t no, int64_t yes,
                  bool &field) -> Error {
    const Operand *operand = next < instruction.operands.size()
                                 ? &instruction.operands[next++]
                                 : nullptr;
    int64_t value = operand ? static_cast<int64_t>(operand->bits) : 0;
    if (!operand || operand->kind != Operand::Integer ||
        (value != no && value != yes))
      return failForm(instruction, name + " has to be the constant " +
                                       Twine(no) + " or " + Twine(yes));
    field = value == yes;
    return Error::success();
  };
  if (form.hasScales()) {
    if (Error error = read("imm-scale-a", 1, -1, result.negatesA))
      return error;
    if (Error error = read("imm-scale-b", 1, -1, result.negatesB))
      return error;
  }
  if (form.hasTransposeA())
    if (Error error = read("imm-trans-a", 0, 1, result.transposesA))
      return error;
  if (form.hasTransposeB())
    if (Error error = read("imm-trans-b", 0, 1, result.transposesB))
      return error;
  return result;
}
