//===- TunedPackage.h - A package of variants by row ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_COMPILE_TUNEDPACKAGE_H
#define TESSERA_LIB_TOOLS_COMPILE_TUNEDPACKAGE_H

#include "tessera/Target/Package/PackageBuilder.h"
#include "tuning/TunedChoices.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tessera::tools {

/// Compiles and lowers the kernel with the values of a row. Returns null after
/// a diagnostic.
using LowerRow = llvm::function_ref<OwningOpRef<ModuleOp>(const TunedChoice &)>;

/// Returns the contents of a package. Its launches use the variants of the
/// first row that applies to their sizes. The entries of a row end in its
/// number.
FailureOr<std::string> makeTunedPackage(ArrayRef<TunedRow> rows,
                                        const PackageOptions &options,
                                        TimingScope &timing, LowerRow lower);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_TUNEDPACKAGE_H
