//===- TraceTest.cpp - What agents did, for a viewer ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Simulator/Trace.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace tessera;
using namespace tessera::sim;

namespace {

/// "row of its thread: name begin+duration", in the order of the file.
std::vector<std::string> summarize(const Trace &trace) {
  std::string text;
  llvm::raw_string_ostream os(text);
  trace.print(os);
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  EXPECT_TRUE(bool(value));
  if (!value) {
    llvm::consumeError(value.takeError());
    return {};
  }
  std::map<int64_t, std::string> rows;
  std::vector<std::string> lines;
  for (llvm::json::Value &item :
       *value->getAsObject()->getArray("traceEvents")) {
    llvm::json::Object &event = *item.getAsObject();
    int64_t row = *event.getInteger("tid");
    if (event.getString("name") == "thread_name")
      rows[row] = event.getObject("args")->getString("name")->str() + "#" +
                  std::to_string(row);
    if (event.getString("ph") == "X")
      lines.push_back("CTA " + std::to_string(*event.getInteger("pid")) + " " +
                      rows[row] + ": " + event.getString("name")->str() + " " +
                      std::to_string(*event.getInteger("ts")) + "+" +
                      std::to_string(*event.getInteger("dur")));
  }
  return lines;
}

TEST(TraceTest, Empty) { EXPECT_TRUE(summarize(Trace()).empty()); }

TEST(TraceTest, RowsStandInTheOrderInWhichTheyCome) {
  Trace trace;
  trace.addRow(0, "warp 0");
  trace.addRow(0, "warp 1");
  trace.add(0, "warp 1", {"arrive", 2, 3, {}});
  trace.add(0, "warp 0", {"wait", 0, 4, {}});
  trace.add(0, "warp 0", {"read", 4, 5, {}});
  trace.add(1, "warp 0", {"wait", 7, 9, {}});
  EXPECT_EQ(summarize(trace),
            (std::vector<std::string>{
                "CTA 0 warp 0#1: wait 0+4", "CTA 0 warp 0#1: read 4+1",
                "CTA 0 warp 1#2: arrive 2+1", "CTA 1 warp 0#3: wait 7+2"}));
}

TEST(TraceTest, SlicesThatOverlapGetRowsOfTheirOwn) {
  Trace trace;
  trace.add(0, "copies", {"c", 6, 8, {}});
  trace.add(0, "copies", {"a", 0, 5, {}});
  trace.add(0, "copies", {"b", 3, 6, {}});
  trace.add(0, "products", {"p", 0, 1, {}});
  EXPECT_EQ(summarize(trace),
            (std::vector<std::string>{
                "CTA 0 copies#1: c 6+2", "CTA 0 copies#1: a 0+5",
                "CTA 0 copies#2: b 3+3", "CTA 0 products#3: p 0+1"}));
}

} // namespace
