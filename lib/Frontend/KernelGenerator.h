//===- KernelGenerator.h - Checks and generates one kernel ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Monomorphisation: types in the language depend on compile-time parameters, so
// a kernel is checked like an instantiated template, with concrete values. One
// walk over the syntax tree checks and generates the `tile` dialect.
//
//   KernelGenerator        the order of the steps
//     SignatureGenerator, Clauses, SizeExpressions
//     BodyGenerator        dispatches each node of the syntax tree
//       StatementGenerator, BranchGenerator, LoopGenerator
//       ExpressionGenerator, ProductGenerator, AccessGenerator
//       CallGenerator, BuiltinFunctions
//   TreeWalk               the interface of BodyGenerator: all of the above
//                          recurse through it
//   Operators, Conversions, EntryValues
//                          operands that are generated already
//   KernelContext          builder, scopes, calls, diagnostics
//
// A part calls parts below it, and no part calls a part above it.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_KERNELGENERATOR_H
#define TESSERA_FRONTEND_KERNELGENERATOR_H

#include "BodyGenerator.h"
#include "Signature/Clauses.h"
#include "Signature/SignatureGenerator.h"

namespace tessera::frontend {

class KernelGenerator {
public:
  KernelGenerator(ModuleOp module, const FnTable &fns, Diagnostics &diagnostics,
                  const CompileOptions &options, const KernelDecl &kernel);

  /// Appends the kernel to the module. Errors are diagnostics.
  void generate();
  /// Returns the choices that the options leave; nothing after an error. Only
  /// one of these functions is called, and only once.
  std::optional<KernelChoices> evaluateChoices();

private:
  /// Opens the scope of the signature.
  void begin();
  /// Makes `block` the entry block and moves the builder to its end.
  void enter(Block *block);
  tile::KernelOp createKernel(ArrayRef<Attribute> axes,
                              tile::ScheduleAttr schedule,
                              KernelNumerics numerics);
  /// Reports a tile of TF32 that another operation than a product reads.
  void checkTF32(tile::KernelOp kernelOp);
  /// Reports a barrier of the grid to which some programs may not come.
  void checkGridBarriers(tile::KernelOp kernelOp);
  /// Replaces unsigned types by signless ones. While a kernel is generated, the
  /// types of its values are those of the language, as are the operations
  /// chosen for them.
  static void eraseSigns(tile::KernelOp kernelOp);
  /// Adds the entry block. `types` are those of the parameters.
  void addEntry(tile::KernelOp kernelOp, ArrayRef<Type> types);

  ModuleOp module;
  KernelContext context;
  EntryValues values;
  Conversions conversions;
  BodyGenerator body;
  SizeExpressions sizes;
  SignatureGenerator signature;
  Clauses clauses;
  /// Holds operations that are generated before the kernel exists. Only an
  /// incorrect signature has run-time values.
  Region scratch;
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_KERNELGENERATOR_H
