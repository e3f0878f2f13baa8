//===- Configurations.h - Values chosen by predicted time -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_COMPILE_CONFIGURATIONS_H
#define TESSERA_LIB_TOOLS_COMPILE_CONFIGURATIONS_H

#include "Compilation.h"

#include "tessera/Pipelines/ConfigurationChoice.h"

namespace tessera::tools {

/// Checks whether values of parameters are chosen for the sizes of --shape or
/// --explain.
bool isChoiceWanted(const TilecOptions &options);

/// Adds the chosen values to `compileOptions`. With --explain, prints all
/// configurations. With --emit=configuration, writes them as JSON. Returns the
/// exit status.
int applyConfiguration(llvm::SourceMgr &sourceMgr, MLIRContext &context,
                       const TilecOptions &options, const Goal &goal,
                       frontend::CompileOptions &compileOptions);

/// Sets `rows` to those of the shapes of --shape. Returns the exit status.
int chooseForShapes(llvm::SourceMgr &sourceMgr, MLIRContext &context,
                    const TilecOptions &options, const Goal &goal,
                    const frontend::CompileOptions &compileOptions,
                    std::vector<TunedRow> &rows);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_CONFIGURATIONS_H
