//===- TunedPackage.cpp - A package of variants by row ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tuning/TunedPackage.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/Timing.h"

using namespace tessera;
using namespace tessera::tools;

/// Appends the number of a row to the entries, so that a profiler distinguishes
/// the rows.
static void numberKernels(ModuleOp module, size_t number) {
  std::string suffix = "_" + std::to_string(number);
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr(rt::kMetadataAttrName))
      function.setSymName((function.getSymName() + suffix).str());
}

/// Adds the kernels of a row, under its conditions.
static void append(rt::KernelPackage &whole, rt::KernelPackage part,
                   ArrayRef<std::string> conditions) {
  for (rt::KernelMetadata &kernel : part.kernels) {
    std::vector<rt::SizeExpression> all;
    for (const std::string &text : conditions)
      all.push_back(llvm::cantFail(rt::SizeExpression::parse(text)));
    llvm::append_range(all, kernel.conditions);
    kernel.conditions = std::move(all);
    whole.kernels.push_back(std::move(kernel));
  }
  // Each kernel has code of its own.
  llvm::append_range(whole.cubins, part.cubins);
  llvm::append_range(whole.ptx, part.ptx);
  whole.target = part.target;
  whole.ptxas = part.ptxas;
}

FailureOr<std::string> tools::makeTunedPackage(ArrayRef<TunedRow> rows,
                                               const PackageOptions &options,
                                               TimingScope &timing,
                                               LowerRow lower) {
  rt::KernelPackage whole;
  for (auto [index, row] : llvm::enumerate(rows)) {
    OwningOpRef<ModuleOp> module = lower(row.choice);
    if (!module)
      return failure();
    numberKernels(*module, index + 1);
    TimingScope scope = timing.nest("code of row " + std::to_string(index + 1));
    FailureOr<BuiltPackage> built = buildPackage(*module, options, scope);
    if (failed(built))
      return failure();
    append(whole, std::move(built->package), row.conditions);
    if (llvm::Error error = whole.verify())
      return emitError((*module)->getLoc())
             << "row " << index + 1 << " does not fit the others: "
             << llvm::toString(std::move(error));
  }
  return whole.write();
}
