//===- Trace.h - What agents did, for a viewer ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A picture of a simulation: a row for each agent, time in steps from left to
// right. Written in the trace event format, which Perfetto and browsers show.
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
  /// What an agent does from step `begin` to before step `end`.
  struct Slice {
    std::string name;
    uint64_t begin, end;
    /// What a viewer shows beside it: the line of the source, what it waited
    /// for.
    std::vector<std::pair<std::string, std::string>> details;
  };

  /// Rows stand in the order in which they first come, with or without a slice.
  void addRow(unsigned cta, StringRef row);
  /// Slices of a row that overlap get rows of its name below each other.
  void add(unsigned cta, StringRef row, Slice slice);

  void print(raw_ostream &os) const;
  llvm::Error write(StringRef path) const;

private:
  using Row = std::pair<unsigned, std::string>;
  llvm::MapVector<Row, std::vector<Slice>, std::map<Row, unsigned>> rows;
};

} // namespace tessera::sim

#endif // TESSERA_SIMULATOR_TRACE_H
