//===- Diagnostics.h - Located errors of the front end ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every error of the front end is an MLIR diagnostic at a FileLineColLoc of the
// main file or of a module. A SourceMgrDiagnosticHandler then prints the line
// and the caret, and the verifying handler can test it. This class makes the
// locations and counts the errors.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_DIAGNOSTICS_H
#define TESSERA_FRONTEND_DIAGNOSTICS_H

#include "Parser/Token.h"

#include "tessera/Support/NearestName.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/DenseSet.h"

namespace tessera::frontend {

class Diagnostics {
public:
  Diagnostics(mlir::MLIRContext *context, llvm::StringRef fileName)
      : files{{mlir::StringAttr::get(context, fileName), SourcePlace()}} {}

  /// Adds a module that the `use` at `user` reads; returns its number. Until
  /// finishReading, its errors have a note on the `use`.
  uint32_t addFile(llvm::StringRef name, SourcePlace user);
  void finishReading() { isReading = false; }

  mlir::FileLineColLoc getLoc(SourcePlace place) const {
    return mlir::FileLineColLoc::get(files[place.file].name, place.line,
                                     place.column);
  }

  /// Returns the place of a location that getLoc returned.
  SourcePlace getPlace(mlir::FileLineColLoc loc) const;

  /// Begins an error; it is reported when the result goes out of scope.
  mlir::InFlightDiagnostic error(SourcePlace place);
  /// Adds a note on each `use` that leads to the file of `place`.
  void noteUsers(mlir::InFlightDiagnostic &diagnostic, SourcePlace place) const;

  /// Begins an error that nothing reports: it follows from an earlier one.
  mlir::InFlightDiagnostic silentError(SourcePlace place) {
    mlir::InFlightDiagnostic silent = mlir::emitError(getLoc(place));
    silent.abandon();
    return silent;
  }

  /// Begins a syntax error. Nothing reports it if it `isConsequence` of an
  /// earlier one, or if its line has one already: recovery resumes there.
  mlir::InFlightDiagnostic syntaxError(SourcePlace place, bool isConsequence) {
    bool isRepeated =
        errors && place.line == last.line && place.file == last.file;
    if (!isConsequence && !isRepeated)
      return error(place);
    return silentError(place);
  }

  /// Begins an error about an unknown name. Nothing reports it if `owner`, a
  /// kernel or fn, has one about the same name already.
  mlir::InFlightDiagnostic unknownName(SourcePlace place, llvm::StringRef name,
                                       const void *owner) {
    bool isFirst = unknown.insert({owner, name}).second;
    return isFirst ? error(place) : syntaxError(place, /*isConsequence=*/true);
  }

  /// Checks whether `place` has no warning yet. Each call of a fn generates its
  /// body again.
  bool isFirstWarning(SourcePlace place) {
    return warned.insert({place.file, {place.line, place.column}}).second;
  }

  unsigned getNumErrors() const { return errors; }
  bool hadError() const { return errors != 0; }

  /// The front end stops after this number of errors in a file.
  static constexpr unsigned maxErrors = 64;
  bool isFull() const { return errors >= maxErrors; }

private:
  struct File {
    mlir::StringAttr name;
    /// The `use` that reads the file; none for the main file.
    SourcePlace user;
  };

  llvm::SmallVector<File, 1> files;
  bool isReading = true;
  unsigned errors = 0;
  /// The place of the last error.
  SourcePlace last{0, 0};
  llvm::DenseSet<std::pair<const void *, llvm::StringRef>> unknown;
  llvm::DenseSet<std::pair<uint32_t, std::pair<uint32_t, uint32_t>>> warned;
};

/// Returns the equivalent of a word of another language, as a clause for a
/// message; empty if `word` is not such a word.
llvm::StringRef findForeignName(llvm::StringRef word);

/// Returns the equivalent of a parameter `word` of another language, for a
/// function with the parameters `own`; that of the word as a name if it is no
/// such parameter.
llvm::StringRef findForeignParameter(llvm::StringRef word,
                                     llvm::ArrayRef<llvm::StringRef> own);

/// Returns the type of this language that other languages call `word`; empty if
/// there is none.
llvm::StringRef findForeignType(llvm::StringRef word);

/// An operator of another language, with its equivalent here; empty if the text
/// does not begin with one.
struct ForeignOperator {
  llvm::StringRef spelling, hint;
};
ForeignOperator findForeignOperator(llvm::StringRef text);

/// The same for a word that begins a statement, or a declaration at the top of
/// a file, in other languages.
llvm::StringRef findForeignStatement(llvm::StringRef word);
llvm::StringRef findForeignDeclaration(llvm::StringRef word);

/// The same for two words between which an expression cannot go on: `a and b`,
/// `not c`, `a if c else b`.
llvm::StringRef findForeignContinuation(llvm::StringRef previous,
                                        llvm::StringRef next);

/// Returns the names as a phrase: "`a`, `b` and `c`"; "none" if there are none.
std::string joinNames(llvm::ArrayRef<llvm::StringRef> names);

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_DIAGNOSTICS_H
