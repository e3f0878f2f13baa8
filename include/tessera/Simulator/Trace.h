//===- Trace.h - Trace of a simulation --------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A timeline of a simulation: one row for each agent, with time in steps. The
// file uses the trace event format, which Perfetto and browsers display.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_SIMULATOR_TRACE_H
#define TESSERA_SIMULATOR_TRACE_H

#include "tessera/Support/LLVM.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Error.h"

#include <map>
#include <string>
#include <vector>

namespace tessera::sim {

class Trace {
public:
  /// The action of an agent from step `begin` to before step `end`.
  struct Slice {
    std::string name;
    uint64_t begin, end;
    /// Details that a viewer shows with the slice: the source line, the event
    /// that the agent waited for.
    std::vector<std::pair<std::string, std::string>> details;
  };

  /// Adds a row, with or without slices. Rows keep the order in which they are
  /// added.
  void addRow(unsigned cta, StringRef row);
  /// Adds a slice. Overlapping slices of a row get separate rows of its name.
  void add(unsigned cta, StringRef row, Slice slice);

  void print(raw_ostream &os) const;
  llvm::Error write(StringRef path) const;

private:
  using Row = std::pair<unsigned, std::string>;
  llvm::MapVector<Row, std::vector<Slice>, std::map<Row, unsigned>> rows;
};

} // namespace tessera::sim

#endif // TESSERA_SIMULATOR_TRACE_H
