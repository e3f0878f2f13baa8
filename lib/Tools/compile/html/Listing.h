//===- Listing.h - Text with source locations -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The IR after a phase, or PTX, line by line with the source locations of each
// line. Locations are numbered once for all listings of a page.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_COMPILE_HTML_LISTING_H
#define TESSERA_LIB_TOOLS_COMPILE_HTML_LISTING_H

#include "tessera/Support/LLVM.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/JSON.h"

#include <map>

namespace tessera::tools {

/// Numbers of source locations.
class PlaceTable {
public:
  struct Place {
    std::string file;
    unsigned line = 0, column = 0;
    bool operator<(const Place &other) const {
      return std::tie(file, line, column) <
             std::tie(other.file, other.line, other.column);
    }
  };

  unsigned getNumber(Place place);
  /// Returns all places of a location, which may be fused, named or a call
  /// site.
  SmallVector<unsigned> getNumbers(Location loc);
  SmallVector<unsigned> getNumbers(Operation *op) {
    return getNumbers(op->getLoc());
  }

  /// Writes the attributes "files" and "places": the file, line and column of
  /// each place.
  void write(llvm::json::OStream &json) const;

private:
  std::map<Place, unsigned> numbers;
  std::vector<Place> places;
};

class Listing {
public:
  /// Prints a module as `tilec` does.
  static Listing ofModule(ModuleOp module, PlaceTable &places);
  /// Removes the line tables from PTX; its lines get the places instead.
  static Listing ofPTX(StringRef text, PlaceTable &places);

  /// Returns the first and the last line of an op, from 1; 0 if it has none.
  std::pair<unsigned, unsigned> getLines(Operation *op) const {
    return lines.lookup(op);
  }

  /// Writes the attributes "text" and "lines". The entry of a line is the
  /// number of a place, an array of several, or -1.
  void write(llvm::json::OStream &json) const;

private:
  std::string text;
  std::vector<SmallVector<unsigned, 1>> origins;
  llvm::DenseMap<Operation *, std::pair<unsigned, unsigned>> lines;
};

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_HTML_LISTING_H
