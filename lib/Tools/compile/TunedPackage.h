//===- TunedPackage.h - A package with a variant for each row ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_COMPILE_TUNEDPACKAGE_H
#define TESSERA_LIB_TOOLS_COMPILE_TUNEDPACKAGE_H

#include "TunedChoices.h"
#include "tessera/Target/Package/PackageBuilder.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tessera::tools {

/// Compiles and lowers the kernel with the values of a row. Null after a
/// diagnostic.
using LowerRow = llvm::function_ref<OwningOpRef<ModuleOp>(const TunedChoice &)>;

/// The contents of a package whose launches take the variants of the first row
/// that is for their sizes. Entries of rows have its number at their end.
FailureOr<std::string> makeTunedPackage(ArrayRef<TunedRow> rows,
                                        const PackageOptions &options,
                                        TimingScope &timing, LowerRow lower);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_TUNEDPACKAGE_H
