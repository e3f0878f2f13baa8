//===- Frontend.cpp - From .tile source to the tile dialect -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses the whole file, checks the names at its top level, then generates the
// selected kernels into one module. Two phases resolve names: fns and kernels
// are collected first, so a call may precede the declaration of its fn. The
// module is verified at the end; an error there is a defect of the front end.
//
//===----------------------------------------------------------------------===//

#include "tessera/Frontend/Frontend.h"

#include "KernelGenerator.h"
#include "Parser/Parser.h"
#include "Signature/Configurations.h"

#include "tessera/Frontend/Vocabulary.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SourceMgr.h"

using namespace tessera;
using namespace tessera::frontend;

/// Fills the table of fns, and checks that names at the top level differ.
static void collectDeclarations(const Program &program, FnTable &fns,
                                Diagnostics &diagnostics) {
  llvm::StringMap<SourcePlace> places;
  auto declare = [&](Name name) {
    if (isBuiltinFunction(name.text)) {
      diagnostics.error(name.place) << "`" << name.text
                                    << "` is a built-in function; choose "
                                       "another name";
      return;
    }
    auto [entry, added] = places.try_emplace(name.text, name.place);
    if (added)
      return;
    auto diagnostic = diagnostics.error(name.place);
    diagnostic << "`" << name.text << "` is declared already in this file";
    diagnostic.attachNote(diagnostics.getLoc(entry->second))
        << "the other declaration is here";
  };
  for (const KernelDecl *kernel : program.kernels)
    declare(kernel->name);
  for (FnDecl *fn : program.fns) {
    declare(fn->name);
    fns[fn->name.text] = fn;
    llvm::StringSet<> names;
    for (const Parameter &parameter : fn->parameters)
      if (!names.insert(parameter.name.text).second)
        diagnostics.error(parameter.name.place)
            << "the parameter `" << parameter.name.text << "` of `"
            << fn->name.text << "` is declared twice";
  }
}

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
  auto diagnostic = diagnostics.error(
      program.kernels.empty() ? SourcePlace() : program.kernels[0]->name.place);
  if (options.kernel.empty()) {
    diagnostic << "the file has no kernel";
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
  /// Parses the main buffer of `sourceMgr`, and checks the names at its top
  /// level.
  SourceFile(llvm::SourceMgr &sourceMgr, MLIRContext *context,
             const CompileOptions &options)
      : buffer(sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID())),
        diagnostics(context, buffer->getBufferIdentifier()) {
    context
        ->loadDialect<tile::TileDialect, arith::ArithDialect, math::MathDialect,
                      scf::SCFDialect, tensor::TensorDialect>();
    Lexer lexer(buffer->getBuffer(), diagnostics);
    Parser(lexer, diagnostics, program).parseProgram();
    if (diagnostics.hadError())
      return;
    collectDeclarations(program, fns, diagnostics);
    kernels = selectKernels(program, options, diagnostics);
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

private:
  const llvm::MemoryBuffer *buffer;
  Program program;

public:
  Diagnostics diagnostics;
  FnTable fns;
  SmallVector<KernelDecl *> kernels;
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
  for (const KernelDecl *kernel : file.kernels) {
    if (diagnostics.isFull())
      break;
    if (options.skipIncomplete && !isComplete(*kernel, options))
      continue;
    KernelGenerator(*module, file.fns, diagnostics, options, *kernel)
        .generate();
  }
  if (file.hadError() || failed(verify(*module)))
    return nullptr;
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
  return collectConfigurations(*scratch, file.fns, file.diagnostics, options,
                               *file.kernels.front());
}
