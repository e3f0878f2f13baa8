//===- ShapeRows.h - Rows of choices for several shapes ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several shapes of --shape make a package with a variant for each of them. The
// choices are made ahead; a launch only compares its sizes with bounds. It uses
// the first shape whose sizes are all at least its own, and the last shape if
// there is none. Sizes that all shapes share have no bound.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_COMPILE_SHAPEROWS_H
#define TESSERA_LIB_TOOLS_COMPILE_SHAPEROWS_H

#include "tuning/Sizes.h"
#include "tuning/TunedChoices.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tessera::tools {

/// Returns the values to take for a shape; failure after a diagnostic.
using ChooseValues = llvm::function_ref<FailureOr<TunedChoice>(const Shape &)>;

/// Checks the shapes of `kernel`, a row of describeKernels: they name the same
/// sizes, and a launch can use each of them.
llvm::Error checkShapes(ArrayRef<Shape> shapes,
                        const llvm::json::Object &kernel);

/// Returns the rows for shapes that checkShapes accepts. Rows that change
/// nothing are left out. The last row has no conditions.
FailureOr<std::vector<TunedRow>>
chooseShapeRows(ArrayRef<Shape> shapes, const llvm::json::Object &kernel,
                ChooseValues choose);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_SHAPEROWS_H
