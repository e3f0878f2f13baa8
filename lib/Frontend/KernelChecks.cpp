//===- KernelChecks.cpp - Errors of kernels before a call -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is checked like an instantiated template, so this file instantiates
// it: with the defaults of its compile-time parameters, then with samples. An
// error is reported only if it occurs at the same place and with the same text
// in every instance. The advice after a semicolon may differ, such as a list of
// names. A kernel without compile-time parameters has one instance, and a
// correct kernel usually takes one. Other errors remain for the caller that
// knows the values, as do failed assertions.
//
//===----------------------------------------------------------------------===//

#include "KernelChecks.h"
#include "Names/Entity.h"

#include "tessera/Frontend/Frontend.h"
#include "tessera/Frontend/Vocabulary.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tessera;
using namespace tessera::frontend;

using Defines = std::vector<std::pair<std::string, std::string>>;
using Errors = std::vector<Diagnostic>;

/// Values of `int` parameters: extents of tiles, and numbers that are not
/// powers of two.
static constexpr StringRef kIntegers[] = {"64", "128", "16", "1", "32",
                                          "96", "8",   "3",  "2"};

/// Returns the names of the types that elements of tensors may have.
static SmallVector<StringRef> getElementTypes(MLIRContext *context) {
  SmallVector<StringRef> names(getTypeNames());
  llvm::erase_if(names, [&](StringRef name) {
    Type type = lookupTypeName(context, name);
    return !type || !tile::isElementType(tile::withoutSign(type));
  });
  return names;
}

/// Returns the values of the instances of a kernel. The first one has all
/// defaults. A parameter of an unknown type, an error in every instance, gets
/// no value.
static SmallVector<Defines> getInstances(const KernelDecl &kernel,
                                         ArrayRef<StringRef> types) {
  SmallVector<Defines> instances;
  ArrayRef<CompileTimeParameter> parameters = kernel.compileTimeParameters;
  if (llvm::all_of(parameters, [](const CompileTimeParameter &parameter) {
        return parameter.value != nullptr;
      }))
    instances.emplace_back();
  if (parameters.empty())
    return instances;
  for (size_t i = 0; i < std::max(types.size(), std::size(kIntegers)); ++i) {
    Defines &defines = instances.emplace_back();
    for (auto [position, parameter] : llvm::enumerate(parameters)) {
      StringRef value =
          llvm::StringSwitch<StringRef>(parameter.type.text)
              .Case("type", types[i % types.size()])
              .Case("int", kIntegers[i % std::size(kIntegers)])
              .Case("float", i % 2 ? "0.5" : "2.0")
              .Case("bool", i >> position % 3 & 1 ? "true" : "false")
              .Default("");
      if (!value.empty())
        defines.emplace_back(parameter.name.text, value);
    }
  }
  return instances;
}

/// Returns the errors of one instance of a kernel.
static Errors findErrors(llvm::SourceMgr &sourceMgr, MLIRContext *context,
                         const KernelDecl &kernel, const Defines &defines) {
  Errors errors;
  // The caller that compiles the kernel reports the warnings.
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      errors.push_back(std::move(diagnostic));
    return success();
  });
  CompileOptions options;
  options.kernel = kernel.name.text.str();
  options.defines = defines;
  options.checkAssertions = false;
  compileTile(sourceMgr, context, options);
  return errors;
}

/// Returns the text of an error without advice.
static std::string getProblem(const Diagnostic &error) {
  return StringRef(error.str()).split(';').first.str();
}

/// Checks whether `errors` contains an error of the place and text of `error`.
static bool contains(ArrayRef<Diagnostic> errors, const Diagnostic &error) {
  return llvm::any_of(errors, [&](const Diagnostic &other) {
    return other.getLocation() == error.getLocation() &&
           getProblem(other) == getProblem(error);
  });
}

LogicalResult tessera::frontend::checkKernels(llvm::SourceMgr &sourceMgr,
                                              MLIRContext *context,
                                              const Program &program) {
  Errors found;
  SmallVector<StringRef> types = getElementTypes(context);
  for (const KernelDecl *kernel : program.kernels) {
    SmallVector<Defines> instances = getInstances(*kernel, types);
    Errors errors = findErrors(sourceMgr, context, *kernel, instances.front());
    for (const Defines &defines : llvm::drop_begin(instances)) {
      if (errors.empty())
        break;
      Errors others = findErrors(sourceMgr, context, *kernel, defines);
      llvm::erase_if(
          errors, [&](Diagnostic &error) { return !contains(others, error); });
    }
    // Kernels share the errors of a fn, and of names at the top level.
    for (Diagnostic &error : errors)
      if (!contains(found, error))
        found.push_back(std::move(error));
  }
  LogicalResult result = failure(!found.empty());
  for (Diagnostic &error : found)
    context->getDiagEngine().emit(std::move(error));
  return result;
}
