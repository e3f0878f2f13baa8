//===- Frontend.cpp - From .tile source to the tile dialect -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the file and the files that it uses, checks the names at their top
// levels, then generates the selected kernels into one module. Two phases
// resolve names: fns and kernels are collected first, so a call may precede the
// declaration of its fn. The module is verified at the end; an error there is a
// defect of the front end.
//
//===----------------------------------------------------------------------===//

#include "tessera/Frontend/Frontend.h"

#include "KernelGenerator.h"
#include "Parser/ModuleLoader.h"
#include "Signature/Configurations.h"
#include "Warnings/UnusedNames.h"

#include "tessera/Frontend/Vocabulary.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SourceMgr.h"

using namespace tessera;
using namespace tessera::frontend;

/// Returns the kernels to generate. Reports an error if there is none.
static SmallVector<KernelDecl *> selectKernels(const Program &program,
                                               const CompileOptions &options,
                                               Diagnostics &diagnostics) {
  SmallVector<KernelDecl *> selected;
  SmallVector<StringRef> names;
  for (KernelDecl *kernel : program.kernels) {
    names.push_back(kernel->name.text);
    if (options.kernel.empty() || kernel->name.text == options.kernel)
      selected.push_back(kernel);
  }
  if (!selected.empty())
    return selected;
  if (!options.needsKernel && !program.fns.empty() && program.kernels.empty())
    return selected;
  auto diagnostic = diagnostics.error(
      program.kernels.empty() ? SourcePlace() : program.kernels[0]->name.place);
  if (options.kernel.empty()) {
    diagnostic << "the file has no kernel";
    if (!program.fns.empty())
      diagnostic << "; `use \"file.tile\" (" << program.fns.front()->name.text
                 << ");` in another file makes its fns visible there";
    return selected;
  }
  diagnostic << "the file has no kernel `" << options.kernel << "`; "
             << suggestName(options.kernel, names, "`") << "its kernels are "
             << joinNames(names);
  return selected;
}

/// Checks that each define names a parameter of some selected kernel.
static void checkDefines(ArrayRef<KernelDecl *> kernels,
                         const CompileOptions &options,
                         Diagnostics &diagnostics) {
  SmallVector<StringRef> names;
  llvm::StringSet<> known;
  for (const KernelDecl *kernel : kernels)
    for (const CompileTimeParameter &parameter : kernel->compileTimeParameters)
      if (known.insert(parameter.name.text).second)
        names.push_back(parameter.name.text);
  for (const auto &[name, value] : options.defines) {
    if (known.contains(name))
      continue;
    auto diagnostic = diagnostics.error(kernels.front()->name.place);
    diagnostic << "no compile-time parameter is called `" << name
               << "`, as given on the command line; the parameters are "
               << joinNames(names);
  }
}

/// Checks whether each compile-time parameter has a value.
static bool isComplete(const KernelDecl &kernel,
                       const CompileOptions &options) {
  return llvm::all_of(
      kernel.compileTimeParameters, [&](const CompileTimeParameter &parameter) {
        return parameter.value ||
               llvm::is_contained(llvm::make_first_range(options.defines),
                                  parameter.name.text);
      });
}

namespace {
/// The selected kernels of a file.
class SourceFile {
public:
  /// Reads the main buffer of `sourceMgr` and the files that it uses, and
  /// checks the names at their top levels.
  SourceFile(llvm::SourceMgr &sourceMgr, MLIRContext *context,
             const CompileOptions &options)
      : diagnostics(context,
                    sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID())
                        ->getBufferIdentifier()),
        loader(sourceMgr, diagnostics) {
    context
        ->loadDialect<tile::TileDialect, arith::ArithDialect, math::MathDialect,
                      scf::SCFDialect, tensor::TensorDialect>();
    main = &loader.loadMain();
    if (diagnostics.hadError())
      return;
    kernels = selectKernels(main->program, options, diagnostics);
    if (!kernels.empty())
      checkDefines(kernels, options, diagnostics);
  }

  /// Reports that errors are missing, if they are. Returns whether there were
  /// errors.
  bool hadError() {
    if (diagnostics.isFull())
      diagnostics.error(SourcePlace())
          << "too many errors; the rest of the file was not checked";
    return diagnostics.hadError();
  }

  const FnTable &getFns() const { return main->visibleFns; }
  const Program &getProgram() const { return main->program; }

  Diagnostics diagnostics;
  SmallVector<KernelDecl *> kernels;

private:
  ModuleLoader loader;
  SourceModule *main;
};
} // namespace

OwningOpRef<ModuleOp>
tessera::frontend::compileTile(llvm::SourceMgr &sourceMgr, MLIRContext *context,
                               const CompileOptions &options) {
  SourceFile file(sourceMgr, context, options);
  if (file.hadError())
    return nullptr;
  Diagnostics &diagnostics = file.diagnostics;
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(diagnostics.getLoc(SourcePlace()));
  SmallVector<KernelDecl *> &kernels = file.kernels;
  if (options.skipIncomplete)
    llvm::erase_if(kernels, [&](const KernelDecl *kernel) {
      return !isComplete(*kernel, options);
    });
  for (const KernelDecl *kernel : kernels) {
    if (diagnostics.isFull())
      break;
    KernelGenerator(*module, file.getFns(), diagnostics, options, *kernel)
        .generate();
  }
  if (file.getProgram().kernels.empty())
    checkNamesOfFns(file.getProgram(), file.getFns(), diagnostics);
  if (file.hadError() || failed(verify(*module)))
    return nullptr;
  warnOfUnusedNames(file.getProgram(), kernels, diagnostics);
  return module;
}

FailureOr<std::vector<Configuration>>
tessera::frontend::findConfigurations(llvm::SourceMgr &sourceMgr,
                                      MLIRContext *context,
                                      const CompileOptions &options) {
  SourceFile file(sourceMgr, context, options);
  if (file.hadError())
    return failure();
  assert(file.kernels.size() == 1 && "the options select a kernel");
  OwningOpRef<ModuleOp> scratch =
      ModuleOp::create(file.diagnostics.getLoc(SourcePlace()));
  return collectConfigurations(*scratch, file.getFns(), file.diagnostics,
                               options, *file.kernels.front());
}
