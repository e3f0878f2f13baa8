//===- Trace.cpp - Trace of a simulation ----------------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the slices of all agents in the trace event format (JSON). Viewers
// expect the slices of a row not to overlap, so `spread` assigns overlapping
// slices to several rows of the same name. It is the greedy algorithm of
// interval partitioning: slices in order of their beginning, each in the first
// row that is free. It uses the fewest rows.
//
//===----------------------------------------------------------------------===//

#include "tessera/Simulator/Trace.h"

#include "tessera/Array/OutputFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace tessera;
using namespace tessera::sim;

void Trace::addRow(unsigned cta, StringRef row) { rows[{cta, row.str()}]; }

void Trace::add(unsigned cta, StringRef row, Slice slice) {
  rows[{cta, row.str()}].push_back(std::move(slice));
}

/// Returns a number for each slice; slices with the same number do not overlap.
static std::vector<unsigned> spread(ArrayRef<Trace::Slice> slices) {
  std::vector<std::pair<uint64_t, size_t>> order;
  for (auto [i, slice] : llvm::enumerate(slices))
    order.push_back({slice.begin, i});
  llvm::sort(order);
  std::vector<uint64_t> ends;
  std::vector<unsigned> lanes(slices.size());
  for (auto [begin, i] : order) {
    auto lane = llvm::find_if(
        ends, [begin = begin](uint64_t end) { return end <= begin; });
    lanes[i] = lane - ends.begin();
    if (lane == ends.end())
      ends.push_back(0);
    ends[lanes[i]] = slices[i].end;
  }
  return lanes;
}

void Trace::print(raw_ostream &os) const {
  llvm::json::OStream json(os);
  auto name = [&](StringRef what, unsigned cta, unsigned row,
                  llvm::json::Value value, StringRef key) {
    json.object([&] {
      json.attribute("ph", "M");
      json.attribute("name", what);
      json.attribute("pid", cta);
      json.attribute("tid", row);
      json.attributeObject("args", [&] { json.attribute(key, value); });
    });
  };
  json.objectBegin();
  json.attributeBegin("traceEvents");
  json.arrayBegin();
  unsigned firstOfRow = 1;
  std::set<unsigned> ctas;
  for (const auto &[key, slices] : rows) {
    const auto &[cta, row] = key;
    if (ctas.insert(cta).second)
      name("process_name", cta, 0, "CTA " + std::to_string(cta), "name");
    std::vector<unsigned> lanes = spread(slices);
    unsigned count = 1;
    for (unsigned lane : lanes)
      count = std::max(count, lane + 1);
    for (unsigned lane = 0; lane < count; ++lane) {
      name("thread_name", cta, firstOfRow + lane, row, "name");
      name("thread_sort_index", cta, firstOfRow + lane, firstOfRow + lane,
           "sort_index");
    }
    for (auto [slice, lane] : llvm::zip(slices, lanes))
      json.object([&, &slice = slice, lane = lane, cta = cta] {
        json.attribute("ph", "X");
        json.attribute("name", slice.name);
        json.attribute("pid", cta);
        json.attribute("tid", firstOfRow + lane);
        json.attribute("ts", slice.begin);
        json.attribute("dur", slice.end - slice.begin);
        json.attributeObject("args", [&] {
          for (const auto &[what, text] : slice.details)
            json.attribute(what, text);
        });
      });
    firstOfRow += count;
  }
  json.arrayEnd();
  json.attributeEnd();
  json.objectEnd();
  os << "\n";
}

llvm::Error Trace::write(StringRef path) const {
  return array::writeFile(path, [&](raw_ostream &os) { print(os); });
}
