//===- KernelRun.cpp - Runs a few lines of PTX ----------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRun.h"

#include <cstring>

using namespace tessera::emu;
namespace sim = tessera::sim;

std::string KernelRun::getText() const {
  return (kModuleStart + variables +
          ".visible .entry k(.param .u64 out, .param .u64 in, "
          ".param .align 64 .b8 map[128]) " +
          directives +
          " { .reg .pred %p<32>; .reg .b16 %h<32>; .reg .b32 %r<128>; "
          ".reg .b64 %rd<64>; .reg .f32 %f<128>; .reg .f64 %d<8>; "
          ".shared .align 1024 .b8 smem[8192]; "
          "ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [in]; "
          "mov.u32 %r0, %tid.x; mul.wide.u32 %rd2, %r0, 4; "
          "add.s64 %rd2, %rd2, %rd0;\n" +
          body + "\n}\n")
      .str();
}

unsigned KernelRun::findLine(llvm::StringRef text) const {
  std::string whole = getText();
  size_t place = whole.find(text.str());
  return place == std::string::npos
             ? 0
             : 1 + llvm::StringRef(whole).take_front(place).count('\n');
}

static std::vector<uint32_t> getWords(const GlobalMemory &memory,
                                      uint64_t address, size_t count) {
  std::vector<uint32_t> words(count);
  if (count)
    std::memcpy(words.data(), memory.find(address, 4 * count)->bytes.data(),
                4 * count);
  return words;
}

static uint64_t put(GlobalMemory &memory, llvm::ArrayRef<uint32_t> words,
                    bool isWritten) {
  if (words.empty())
    return 0;
  uint64_t address = memory.allocate(4 * words.size());
  Allocation *allocation = memory.findStart(address);
  if (isWritten) {
    std::memcpy(allocation->bytes.data(), words.data(), 4 * words.size());
    allocation->isWritten.assign(4 * words.size(), true);
  }
  return address;
}

template <typename T>
static llvm::SmallVector<uint8_t, 8> getRaw(const T &value) {
  const auto *bytes = reinterpret_cast<const uint8_t *>(&value);
  return {bytes, bytes + sizeof(T)};
}

uint64_t KernelRun::getInputAddress() const {
  GlobalMemory memory;
  put(memory, output, false);
  return put(memory, input, false);
}

std::vector<uint32_t> KernelRun::run(const Options &options) {
  findings.clear();
  error.clear();
  std::unique_ptr<Module> module;
  auto parsed = parse(getText(), "t.ptx");
  if (!parsed) {
    error = llvm::toString(parsed.takeError());
    ADD_FAILURE() << error;
    return {};
  }
  module = std::move(*parsed);
  auto program = Program::load(*module, *module->kernels.front());
  if (!program) {
    error = llvm::toString(program.takeError());
    return {};
  }
  GlobalMemory memory;
  uint64_t out = put(memory, output, outputIsWritten);
  uint64_t in = put(memory, input, true);
  llvm::SmallVector<uint8_t, 8> parameters[] = {
      getRaw(out), getRaw(in), {map.begin(), map.end()}};
  if (llvm::Error failure = (*program)->launch(
          config, parameters, memory, options, findings, &statistics)) {
    error = llvm::toString(std::move(failure));
    return {};
  }
  return getWords(memory, out, output.size());
}

std::string KernelRun::getError() {
  run();
  return error.empty() ? "no error" : error;
}

static const struct {
  const char *name;
  sim::Order order;
  uint64_t seed;
} kOrders[] = {
    {"program", sim::Order::Program, 0}, {"late", sim::Order::Late, 0},
    {"early", sim::Order::Early, 0},     {"random 1", sim::Order::Random, 1},
    {"random 2", sim::Order::Random, 2}, {"random 3", sim::Order::Random, 3},
    {"chosen", sim::Order::Chosen, 0},
};

std::vector<uint32_t> KernelRun::runAll() {
  std::vector<uint32_t> first;
  for (auto [name, order, seed] : kOrders) {
    SCOPED_TRACE(name);
    std::vector<uint32_t> result = run(order, seed);
    EXPECT_EQ(error, "");
    for (const Finding &finding : findings) {
      ADD_FAILURE() << "line " << finding.where.line << ": " << finding.text;
      for (const Finding::Note &note : finding.notes)
        ADD_FAILURE() << "note at line " << note.where.line << ": "
                      << note.text;
    }
    if (order == sim::Order::Program)
      first = result;
    EXPECT_EQ(result, first);
    if (testing::Test::HasFailure())
      break;
  }
  return first;
}

void KernelRun::expectFinding(const testing::Matcher<std::string> &text) {
  unsigned here = findLine("// here"), there = findLine("// there");
  EXPECT_NE(here, 0u);
  for (auto [name, order, seed] : kOrders) {
    SCOPED_TRACE(name);
    run(order, seed);
    EXPECT_EQ(error, "");
    ASSERT_EQ(findings.size(), 1u);
    const Finding &finding = findings.front();
    EXPECT_THAT(finding.text, text);
    // Of two sides, whichever comes later is found.
    unsigned other = finding.notes.empty() ? 0 : finding.notes[0].where.line;
    bool isSwapped = there && finding.where.line == there;
    EXPECT_EQ(finding.where.line, isSwapped ? there : here);
    if (there) {
      EXPECT_EQ(other, isSwapped ? here : there);
    }
  }
}
