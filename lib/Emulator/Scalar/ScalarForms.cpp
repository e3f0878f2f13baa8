//===- ScalarForms.cpp - Finds the form of an instruction -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sorted table from the first part of a name to finders by type: integers and
// bits, f32 and f64, 16-bit floats. A finder takes the parts of the name that
// it knows, and returns a function on words. A form exists if all parts are
// taken and the number of operands matches; otherwise the error names the
// reason.
//
//===----------------------------------------------------------------------===//

#include "ScalarFamilies.h"

#include "llvm/Support/MathExtras.h"

using namespace tessera::emu;
namespace emu = tessera::emu;

namespace {

struct Family {
  StringRef root;
  /// Finders by the type of the operands: integers and bits, f32 and f64,
  /// 16-bit floats. Null if there is no such form.
  FormFinder *forIntegers;
  FormFinder *forFloats = nullptr;
  FormFinder *forHalves = nullptr;
};

llvm::Expected<ScalarForm> refuseCarry(FormName &name) {
  return name.refuse("the carry flag is not supported");
}

llvm::Expected<ScalarForm> refuseNthBit(FormName &name) {
  return name.refuse("finding the n-th bit is not supported");
}

/// Returns a family whose finder checks the types itself.
constexpr Family forAll(StringRef root, FormFinder *finder) {
  return {root, finder, finder, finder};
}

} // namespace

// Sorted by root.
static constexpr Family kFamilies[] = {
    {"abs", findIntegerSign, findFloatSign, findHalfSign},
    {"add", findIntegerSum, findFloatSum, findHalfSum},
    forAll("addc", refuseCarry),
    forAll("and", findLogic),
    forAll("bfe", findFieldExtraction),
    forAll("bfi", findFieldInsertion),
    forAll("bfind", findLeadingBit),
    forAll("bmsk", findBitMask),
    forAll("brev", findBitCount),
    forAll("clz", findBitCount),
    forAll("cnot", findComplement),
    {"copysign", nullptr, findSignCopy},
    {"cos", nullptr, findApproximation},
    forAll("cvt", findConversion),
    {"div", findIntegerDivision, findQuotient},
    forAll("dp2a", findDotProduct),
    forAll("dp4a", findDotProduct),
    {"ex2", nullptr, findApproximation, findHalfApproximation},
    {"fma", nullptr, findFusedProduct, findHalfFusedProduct},
    forAll("fns", refuseNthBit),
    {"lg2", nullptr, findApproximation},
    forAll("lop3", findTernaryLogic),
    {"mad", findIntegerProduct, findFusedProduct},
    forAll("mad24", findProduct24),
    forAll("madc", refuseCarry),
    {"max", findIntegerExtremum, findFloatExtremum, findHalfExtremum},
    {"min", findIntegerExtremum, findFloatExtremum, findHalfExtremum},
    forAll("mov", findMove),
    {"mul", findIntegerProduct, findFloatSum, findHalfSum},
    forAll("mul24", findProduct24),
    {"neg", findIntegerSign, findFloatSign, findHalfSign},
    forAll("not", findComplement),
    forAll("or", findLogic),
    forAll("popc", findBitCount),
    forAll("prmt", findPermutation),
    {"rcp", nullptr, findReciprocal},
    {"rem", findIntegerDivision},
    {"rsqrt", nullptr, findApproximation},
    forAll("sad", findAbsoluteDifference),
    forAll("selp", findSelection),
    forAll("set", findComparison),
    forAll("setp", findPredicateComparison),
    forAll("shf", findFunnelShift),
    forAll("shl", findShift),
    forAll("shr", findShift),
    {"sin", nullptr, findApproximation},
    forAll("slct", findSignSelection),
    {"sqrt", nullptr, findSquareRoot},
    {"sub", findIntegerSum, findFloatSum, findHalfSum},
    forAll("subc", refuseCarry),
    forAll("szext", findExtension),
    {"tanh", nullptr, findApproximation, findHalfApproximation},
    {"testp", nullptr, findFloatTest},
    forAll("xor", findLogic),
};

static FormFinder *chooseByType(const Family &family, const FormName &name) {
  switch (name.peekType().value_or(Type::B32)) {
  case Type::F32:
  case Type::F64:
    return family.forFloats;
  case Type::F16:
  case Type::F16x2:
  case Type::BF16:
  case Type::BF16x2:
    return family.forHalves;
  default:
    return family.forIntegers;
  }
}

uint64_t emu::extendResult(uint64_t word, Type type, unsigned width) {
  if (!isSigned(type) || getBits(type) >= width)
    return word;
  return static_cast<uint64_t>(llvm::SignExtend64(word, getBits(type))) &
         llvm::maskTrailingOnes<uint64_t>(std::min(width, 64u));
}

llvm::Expected<std::optional<ScalarForm>>
emu::findScalarForm(const Instruction &instruction) {
  if (instruction.parts.empty())
    return std::nullopt;
  StringRef root = instruction.getRoot();
  const Family *family = llvm::lower_bound(
      kFamilies, root,
      [](const Family &family, StringRef root) { return family.root < root; });
  if (family == std::end(kFamilies) || family->root != root)
    return std::nullopt;
  auto hasKind = [&](Operand::Kind kind) {
    return llvm::any_of(instruction.operands, [&](const Operand &operand) {
      return operand.kind == kind;
    });
  };
  // `mov` also packs and unpacks vectors, which has several results or depends
  // on the number of elements.
  if (root == "mov" && hasKind(Operand::Vector))
    return std::nullopt;

  FormName name(instruction);
  if (hasKind(Operand::Pair))
    return name.refuse("a second result ('a|b') is not supported");
  FormFinder *finder = chooseByType(*family, name);
  if (!finder)
    return name.refuse("'" + root + "' has no form with this type");
  llvm::Expected<ScalarForm> form = finder(name);
  if (!form)
    return form.takeError();
  if (llvm::Error error = name.checkAllTaken())
    return error;
  if (form->operands.size() != name.countSources())
    return name.refuse("takes " + llvm::Twine(form->operands.size()) +
                       " operands after the result, not " +
                       llvm::Twine(name.countSources()));
  return *form;
}
