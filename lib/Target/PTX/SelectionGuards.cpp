//===- SelectionGuards.cpp - Ops that cannot be selected --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table of intrinsics that the code generator of LLVM 22.1 cannot select for
// sm_90a. Each row was tested with each of the element types. 16-bit types
// behave like f32, to which they are promoted. A row that applies only to f64
// is marked.
//
//===----------------------------------------------------------------------===//

#include "SelectionGuards.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace tessera;
using namespace tessera::ptx;

namespace {
/// Condition under which a row of the table applies.
enum class When {
  /// Always.
  Always,
  /// Unless the op carries the fast-math flag `afn`, and for f64 even then.
  Precise,
  /// For f64.
  Double,
};

struct Guard {
  /// The intrinsic without its type suffix.
  StringLiteral intrinsic;
  When when;
  /// The alternative, which completes "…; use".
  StringLiteral instead;
};
} // namespace

static constexpr StringLiteral kLog2 =
    "'llvm.nvvm.lg2.approx.f' and a product by the constant";
static constexpr StringLiteral kExp2 =
    "exp2 of the argument times log2 of the base";
static constexpr StringLiteral kSeries = "an approximation of your own";

static constexpr Guard kGuards[] = {
    {"llvm.log", When::Always, kLog2},
    {"llvm.log2", When::Always, "'llvm.nvvm.lg2.approx.f'"},
    {"llvm.log10", When::Always, kLog2},
    {"llvm.exp", When::Always, kExp2},
    {"llvm.exp10", When::Always, kExp2},
    {"llvm.exp2", When::Double, "it at f32"},
    {"llvm.pow", When::Always, "exp2 of the exponent times log2 of the base"},
    {"llvm.sin", When::Precise, "it with 'afn' at f32"},
    {"llvm.cos", When::Precise, "it with 'afn' at f32"},
    {"llvm.tanh", When::Precise, "it with 'afn' at f32"},
    {"llvm.tan", When::Always, "the quotient of sin and cos with 'afn'"},
    {"llvm.asin", When::Always, kSeries},
    {"llvm.acos", When::Always, kSeries},
    {"llvm.atan", When::Always, kSeries},
    {"llvm.atan2", When::Always, kSeries},
    {"llvm.sinh", When::Always, "exp2 of the argument and its negative"},
    {"llvm.cosh", When::Always, "exp2 of the argument and its negative"},
    {"llvm.nvvm.ex2.approx.ftz.v2f16", When::Always,
     "'llvm.nvvm.ex2.approx.v2f16'"},
    {"llvm.nvvm.tanh.approx.f32", When::Always, "'llvm.intr.tanh' with 'afn'"},
};

/// Returns the intrinsic of an op: "llvm.log2" for `llvm.intr.log2`, or the
/// name of a called intrinsic; otherwise an empty text.
static std::string getIntrinsicName(Operation *op) {
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    return call.getIntrin().str();
  StringRef name = op->getName().getStringRef();
  if (name.consume_front("llvm.intr."))
    return ("llvm." + name).str();
  return {};
}

/// Checks whether `name` is `intrinsic`, with or without type suffixes. A guard
/// with a suffix matches only that suffix.
static bool names(StringRef name, StringRef intrinsic) {
  return name.consume_front(intrinsic) && (name.empty() || name[0] == '.');
}

static bool isDouble(Operation *op) {
  return op->getNumResults() == 1 &&
         getElementTypeOrSelf(op->getResult(0).getType()).isF64();
}

static bool isApproximate(Operation *op) {
  auto fastmath = dyn_cast<LLVM::FastmathFlagsInterface>(op);
  if (!fastmath)
    return false;
  auto flags = fastmath.getFastmathAttr();
  return flags &&
         LLVM::bitEnumContainsAll(flags.getValue(), LLVM::FastmathFlags::afn);
}

static bool applies(const Guard &guard, Operation *op) {
  switch (guard.when) {
  case When::Always:
    return true;
  case When::Precise:
    return isDouble(op) || !isApproximate(op);
  case When::Double:
    return isDouble(op);
  }
  llvm_unreachable("all cases are listed");
}

LogicalResult ptx::checkSelectable(ModuleOp module) {
  bool selectable = true;
  module.walk([&](Operation *op) {
    std::string name = getIntrinsicName(op);
    if (name.empty())
      return;
    for (const Guard &guard : kGuards) {
      if (!names(name, guard.intrinsic) || !applies(guard, op))
        continue;
      op->emitError() << "'" << name
                      << "' has no instruction on this target; use "
                      << guard.instead;
      selectable = false;
      return;
    }
  });
  return success(selectable);
}
