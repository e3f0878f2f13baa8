//===- KernelContext.h - State shared by the generators ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The context of one kernel: its declaration, the builder, the visible names,
// the inlined calls around the current code, and located diagnostics. The
// generators share this context and no other state.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_KERNELCONTEXT_H
#define TESSERA_FRONTEND_KERNELCONTEXT_H

#include "Diagnostics.h"
#include "Names/Entity.h"
#include "Names/Scope.h"
#include "Parser/AST.h"

#include "tessera/Frontend/Frontend.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/MapVector.h"

namespace tessera::frontend {

/// The names that the signature of a kernel declares.
/// Parameters with candidates and no given value, in their order: the values as
/// -D takes them, the default first.
using KernelChoices = llvm::MapVector<StringRef, std::vector<std::string>>;

struct KernelSignature {
  /// The parameters of the kernel, and those whose condition is false.
  SmallVector<const Parameter *> parameters, absentParameters;
  /// The sizes in the order of their first use, each with the place of that
  /// use.
  llvm::MapVector<StringRef, SourcePlace> sizePlaces;
  /// The types of scalar parameters. Dimensions may refer to them.
  llvm::StringMap<Type> scalarParameters;
  KernelChoices choices;
  /// The places of the declarations of tensors.
  llvm::StringMap<SourcePlace> tensorPlaces;
};

/// A call that moves elements along an axis of its operand.
struct OrderCall {
  StringRef name;
  int64_t axis;
  /// Whether the elements with the greatest keys come first.
  bool isDescending;
  /// Whether the elements are unsigned integers.
  bool isUnsigned;
};

/// An inlined call around the current code.
struct ActiveCall {
  const FnDecl *fn;
  SourcePlace place;
  Location loc;
};

class ErrorNote;

class KernelContext {
public:
  KernelContext(MLIRContext *context, const KernelDecl &kernel,
                const FnTable &fns, const CompileOptions &options,
                Diagnostics &diagnostics)
      : kernel(kernel), options(options), builder(context), fns(fns),
        diagnostics(diagnostics) {}

  const KernelDecl &kernel;
  const CompileOptions &options;
  OpBuilder builder;
  Scopes scopes;
  KernelSignature signature;
  /// Whether the kernel has a warning of functions of narrow floats.
  bool hasNarrowFunction = false;
  /// The divisions of integers at run time whose result becomes a float without
  /// `as`, by their locations, and the types of the floats.
  llvm::DenseMap<Location, Type> floatQuotients;
  /// The calls of `sort`, `argsort`, `top` and `flip`. Their operations have
  /// these locations.
  llvm::DenseMap<Location, OrderCall> orderCalls;

  /// Returns the location of code at `place`; in a fn it includes the calls.
  Location getLoc(SourcePlace place) const;
  /// Returns the place of a location without calls.
  SourcePlace getPlace(FileLineColLoc loc) const {
    return diagnostics.getPlace(loc);
  }
  /// Begins an error at `place`, with the note of an enclosing `ErrorNote` and
  /// notes on the enclosing calls. After a failed assertion nothing reports it:
  /// the code after the assertion relies on the condition.
  InFlightDiagnostic error(SourcePlace place);
  /// Begins an error about an unknown name, once per kernel or fn.
  InFlightDiagnostic unknownName(SourcePlace place, StringRef name);
  /// Checks that `number`, which becomes a float, is no quotient of known
  /// integers that was rounded down. Returns false after an error.
  bool checkExact(const Entity &number);
  /// Begins a warning at `place`; returns nothing if `place` has one already.
  /// The caller adds notes on the enclosing calls last.
  std::optional<InFlightDiagnostic> warn(SourcePlace place);
  /// Adds a note on each enclosing call.
  void noteCalls(InFlightDiagnostic &diagnostic) const;
  /// Adds a note that shows `place`.
  Diagnostic &note(InFlightDiagnostic &diagnostic, SourcePlace place) const;
  /// Adds a note that shows the declaration of `symbol`.
  void noteDeclaration(InFlightDiagnostic &diagnostic,
                       const Symbol &symbol) const;

  /// Called after the error of an assertion that does not hold.
  void noteFailedAssertion() { assertionFailed = true; }
  bool hasFailedAssertion() const { return assertionFailed; }

  unsigned getNumErrors() const { return diagnostics.getNumErrors(); }
  /// Checks whether the file has too many errors to continue.
  bool hasTooManyErrors() const { return diagnostics.isFull(); }

  /// Declares a name. Reports an error and returns null if it is taken.
  Symbol *declare(Symbol::Kind kind, Name name, Entity entity);

  /// Returns a tile type; null, after an error, if the tile is too large.
  RankedTensorType getTileType(ArrayRef<int64_t> shape, Type element,
                               SourcePlace place);

  /// Returns the parameter of the kernel that `value` is; null if none.
  const Parameter *findParameter(Value value) const;

  /// Returns the fns that the current code may call.
  const FnTable &getFns() const {
    return calls.empty() ? fns : *calls.back().fn->visibleFns;
  }

  /// The inlined calls around the current code, outermost first.
  ArrayRef<ActiveCall> getCalls() const { return calls; }
  void pushCall(ActiveCall call) { calls.push_back(call); }
  void popCall() { calls.pop_back(); }

private:
  friend class ErrorNote;

  /// The fns that the file of the kernel sees.
  const FnTable &fns;
  Diagnostics &diagnostics;
  SmallVector<ActiveCall> calls;
  const ErrorNote *errorNote = nullptr;
  bool assertionFailed = false;
};

/// During its life, each error of the current code has one more note. Errors
/// inside of the fns that the code calls do not.
class ErrorNote {
public:
  ErrorNote(KernelContext &context, SourcePlace place, std::string text)
      : place(place), text(std::move(text)), depth(context.calls.size()),
        context(context), outer(std::exchange(context.errorNote, this)) {}
  ~ErrorNote() { context.errorNote = outer; }
  ErrorNote(const ErrorNote &) = delete;
  ErrorNote &operator=(const ErrorNote &) = delete;

  const SourcePlace place;
  const std::string text;
  /// The number of inlined calls around the code.
  const size_t depth;

private:
  KernelContext &context;
  const ErrorNote *outer;
};

/// The base of the generators: short names for the shared context.
class KernelPart {
protected:
  explicit KernelPart(KernelContext &context)
      : context(context), builder(context.builder), scopes(context.scopes) {}

  using Kind = Entity::Kind;

  Location getLoc(SourcePlace place) const { return context.getLoc(place); }
  InFlightDiagnostic error(SourcePlace place) { return context.error(place); }
  Diagnostic &note(InFlightDiagnostic &diagnostic, SourcePlace place) const {
    return context.note(diagnostic, place);
  }
  RankedTensorType getTileType(ArrayRef<int64_t> shape, Type element,
                               SourcePlace place) {
    return context.getTileType(shape, element, place);
  }

  KernelContext &context;
  OpBuilder &builder;
  Scopes &scopes;
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_KERNELCONTEXT_H
