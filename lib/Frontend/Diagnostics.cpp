//===- Diagnostics.cpp - Located errors of the front end --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors of modules, and parts of messages: lists of names.
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"

using namespace tessera::frontend;

uint32_t Diagnostics::addFile(llvm::StringRef name, SourcePlace user) {
  mlir::MLIRContext *context = files.front().name.getContext();
  files.push_back({mlir::StringAttr::get(context, name), user});
  return files.size() - 1;
}

SourcePlace Diagnostics::getPlace(mlir::FileLineColLoc loc) const {
  const auto *file = llvm::find_if(files, [&](const File &candidate) {
    return candidate.name == loc.getFilename();
  });
  assert(file != files.end() && "a location of an unknown file");
  return {loc.getLine(), loc.getColumn(),
          static_cast<uint32_t>(file - files.begin())};
}

mlir::InFlightDiagnostic Diagnostics::error(SourcePlace place) {
  ++errors;
  last = place;
  mlir::InFlightDiagnostic diagnostic = mlir::emitError(getLoc(place));
  if (isReading)
    noteUsers(diagnostic, place);
  return diagnostic;
}

void Diagnostics::noteUsers(mlir::InFlightDiagnostic &diagnostic,
                            SourcePlace place) const {
  while (!place.isInMainFile()) {
    place = files[place.file].user;
    diagnostic.attachNote(getLoc(place)) << "in the file that is used here";
  }
}

std::string
tessera::frontend::joinNames(llvm::ArrayRef<llvm::StringRef> names) {
  if (names.empty())
    return "none";
  std::string text;
  for (auto [i, name] : llvm::enumerate(names)) {
    if (i)
      text += i + 1 == names.size() ? " and " : ", ";
    text += ("`" + name + "`").str();
  }
  return text;
}
