//===- PtxasReportTest.cpp - Reading the output of ptxas --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests the parser of the output of ptxas with output of ptxas 13.0 and with
// broken output.
//
//===----------------------------------------------------------------------===//

#include "tessera/Target/PTX/Ptxas.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tessera::ptx;
using testing::HasSubstr;
using Severity = PtxasMessage::Severity;

namespace {

TEST(PtxasReport, ReadsTheResourcesOfEachKernel) {
  PtxasReport report = parsePtxasOutput(R"(
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'a' for 'sm_90a'
ptxas info    : Function properties for a
    16 bytes stack frame, 20 bytes spill stores, 24 bytes spill loads
ptxas info    : Used 168 registers, used 16 barriers, 16 bytes cumulative stack size, 1024 bytes smem, 360 bytes cmem[0], 8 bytes cmem[4]
ptxas info    : Compile time = 12.3 ms
ptxas info    : Compiling entry function 'b' for 'sm_90a'
ptxas info    : Function properties for b
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 1 barriers
ptxas info    : Function properties for helper
    99 bytes stack frame, 99 bytes spill stores, 99 bytes spill loads
)");
  ASSERT_EQ(report.kernels.size(), 2u);
  const KernelResources &a = report.kernels[0];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.registers, 168);
  EXPECT_EQ(a.stackBytes, 16);
  EXPECT_EQ(a.spillStoreBytes, 20);
  EXPECT_EQ(a.spillLoadBytes, 24);
  EXPECT_EQ(a.sharedBytes, 1024);
  EXPECT_EQ(a.constantBytes, 368);
  EXPECT_EQ(a.barriers, 16);
  const KernelResources &b = report.kernels[1];
  EXPECT_EQ(b.name, "b");
  EXPECT_EQ(b.registers, 8);
  EXPECT_EQ(b.stackBytes, 0) << "a function that is no kernel counts for none";
  EXPECT_TRUE(report.messages.empty());
  EXPECT_FALSE(report.hasErrors());
}

/// The one message in `output`, which must be an error.
PtxasMessage readHazard(llvm::StringRef output) {
  PtxasReport report = parsePtxasOutput(output);
  EXPECT_EQ(report.messages.size(), 1u) << output.str();
  EXPECT_TRUE(report.hasErrors());
  return report.messages.empty() ? PtxasMessage() : report.messages.front();
}

TEST(PtxasReport, HazardsAreErrorsWithARemedy) {
  PtxasMessage message = readHazard(
      "ptxas info    : (C7513) Potential Performance Loss: wgmma.mma_async "
      "instructions are serialized due to non wgmma instructions defining "
      "input registers of a wgmma between start and end of the pipeline stage "
      "in the function 'fa'\n");
  EXPECT_EQ(message.code, "C7513");
  EXPECT_EQ(message.kernel, "fa");
  EXPECT_THAT(message.remedy, HasSubstr("A fragment only after the wait"));
}

TEST(PtxasReport, HazardsAreKnownByTextAcrossReleases) {
  // An older release numbers this one C7511.
  PtxasMessage message = readHazard(
      "ptxas info    : (C7511) Potential Performance Loss: wgmma.mma_async "
      "instructions are serialized due to insufficient register resources for "
      "the wgmma pipeline in the function 'k'");
  EXPECT_EQ(message.code, "C7511");
  EXPECT_THAT(message.remedy, HasSubstr("spills inside the pipeline"));
}

TEST(PtxasReport, EachHazardHasItsOwnRemedy) {
  const char *loss = "ptxas info    : (C7500) Potential Performance Loss: ";
  const char *serialized =
      "wgmma.mma_async instructions are serialized due to ";
  struct {
    std::string text, remedy;
  } cases[] = {
      {"'setmaxnreg' ignored; unable to determine register count at entry.",
       ".maxntid"},
      {"'setmaxnreg' ignored to maintain minimum register requirements.",
       "raise its budget"},
      {std::string(serialized) + "non wgmma instructions reading accumulator "
                                 "registers of  a wgmma between start",
       "back edge"},
      {std::string(serialized) + "non wgmma instructions defining accumulator "
                                 "registers of a wgmma between start",
       "wgmma.fence after the accumulators are written"},
      {std::string(serialized) + "ill formed pipeline stage in the function",
       "on every path"},
      {"warpgroup.wait is injected in around line 7 by compiler to allow use "
       "of registers defined by GMMA in function 'k'",
       "wait for the group"},
  };
  for (const auto &[text, remedy] : cases)
    EXPECT_THAT(readHazard(loss + text).remedy, HasSubstr(remedy)) << text;
}

TEST(PtxasReport, UnknownHazardsAreErrorsToo) {
  EXPECT_THAT(readHazard("ptxas info    : (C7599) something new").remedy,
              HasSubstr("no row in the table of hazards yet"));
  EXPECT_THAT(
      readHazard("ptxas info    : Potential Performance Loss: new").remedy,
      HasSubstr("no row in the table of hazards yet"));
}

TEST(PtxasReport, MessagesAreTracedToTheirKernel) {
  const char *ptx = ".version 8.8\n"
                    ".visible .entry first(\n"
                    ")\n"
                    ".visible .entry second(.param .u64 p)\n"
                    "  foo.bar 1;\n";
  PtxasReport report = parsePtxasOutput(
      "ptxas /tmp/x.ptx, line 5; error   : Not a name of any known "
      "instruction: 'foo'\n"
      "ptxas warning : something about nothing\n"
      "ptxas fatal   : Ptx assembly aborted due to errors\n",
      ptx);
  ASSERT_EQ(report.messages.size(), 3u);
  EXPECT_EQ(report.messages[0].line, 5u);
  EXPECT_EQ(report.messages[0].kernel, "second");
  EXPECT_EQ(report.messages[0].source, "foo.bar 1;");
  EXPECT_EQ(report.messages[1].severity, Severity::Warning);
  EXPECT_EQ(report.messages[1].kernel, "");
  EXPECT_EQ(report.messages[2].severity, Severity::Error);
}

TEST(PtxasReport, MessagesAreTracedThroughLineTables) {
  const char *ptx = ".visible .entry first()\n"
                    "\t.loc\t1 9 9\n"
                    ".visible .entry second()\n"
                    "  foo.a;\n"
                    "\t.loc\t2 7 3\n"
                    "  foo.b;\n"
                    "\t.file\t1 \"first.tile\"\n"
                    "\t.file\t2 \"second.tile\"\n";
  PtxasReport report =
      parsePtxasOutput("ptxas x.ptx, line 6; error   : one\n"
                       "ptxas x.ptx, line 4; error   : another\n",
                       ptx);
  ASSERT_EQ(report.messages.size(), 2u);
  EXPECT_EQ(report.messages[0].place.file, "second.tile");
  EXPECT_EQ(report.messages[0].place.line, 7u);
  EXPECT_EQ(report.messages[0].place.column, 3u);
  EXPECT_EQ(report.messages[1].place.line, 0u)
      << "the line of another kernel does not count";
}

TEST(PtxasReport, BrokenOutputIsNoTrap) {
  for (const char *output :
       {"", "ptxas", "ptxas ", "ptxas info    :", "ptxas info    : (C",
        "ptxas info    : Used", "ptxas info    : Used x registers, ,,",
        "    7 bytes stack frame", "ptxas , line 99999999999999; error   : x",
        "ptxas x, line 77; error   : y",
        "ptxas info    : Compiling entry function '"})
    parsePtxasOutput(output, "one line\n");
}

TEST(PtxasError, PrintsEveryMessage) {
  PtxasMessage first, second;
  first.text = "one";
  first.code = "C7512";
  first.remedy = "do less";
  second.text = "two";
  EXPECT_EQ(llvm::toString(llvm::make_error<PtxasError>(
                std::vector<PtxasMessage>{first, second})),
            "ptxas: one (C7512); do less\nptxas: two");
}

} // namespace
