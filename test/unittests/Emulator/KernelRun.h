//===- KernelRun.h - Runs a few lines of PTX --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel from the text of its body, launched in all orders with words of
// global memory to read and to write.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TEST_UNITTESTS_EMULATOR_KERNELRUN_H
#define TESSERA_TEST_UNITTESTS_EMULATOR_KERNELRUN_H

#include "ParsedText.h"

#include "tessera/Emulator/Emulator.h"

#include "gmock/gmock.h"

namespace tessera::emu {

/// A kernel that has in registers: %rd0 the address of the words to write, %rd1
/// that of the words to read, %r0 the number of the thread in the block, along
/// x, and %rd2 the address of its own word to write. It has 8 KiB of shared
/// memory, `smem`, and a tensor map as its third parameter, `map`.
class KernelRun {
public:
  explicit KernelRun(const llvm::Twine &body, unsigned threads = 32)
      : body(body.str()) {
    config.block[0] = threads;
  }

  LaunchConfig config;
  std::vector<uint32_t> input;
  /// Initial contents of the output; words from `written` on stay unwritten.
  std::vector<uint32_t> output = std::vector<uint32_t>(256, 0);
  bool outputIsWritten = true;
  /// Variables of the module, and directives of the kernel.
  std::string variables, directives;
  std::vector<uint8_t> map = std::vector<uint8_t>(128, 0);

  std::vector<Finding> findings;
  Statistics statistics;

  /// The results of one run; `findings` are what is wrong.
  std::vector<uint32_t> run(const Options &options);
  std::vector<uint32_t> run(sim::Order order = sim::Order::Program,
                            uint64_t seed = 0) {
    Options options;
    options.order = order;
    options.seed = seed;
    return run(options);
  }

  /// Runs in all orders; nothing is wrong, and the results are the same.
  std::vector<uint32_t> runAll();

  /// Runs in all orders; each finds exactly this, at the line of the body that
  /// has the comment `// here`, with a note at `// there` if there is one.
  void expectFinding(const testing::Matcher<std::string> &text);

  /// Returns the error of the decoder or of the launch.
  std::string getError();

  /// Addresses that the launch has.
  static constexpr uint64_t kOutput = uint64_t(1) << 40;
  uint64_t getInputAddress() const;

private:
  std::string getText() const;
  /// Of the module, from 1.
  unsigned findLine(llvm::StringRef text) const;

  std::string body;
  std::string error;
};

/// The same word by thread.
template <typename Function>
std::vector<uint32_t> makeWords(size_t count, Function function) {
  std::vector<uint32_t> words;
  for (size_t i = 0; i < count; ++i)
    words.push_back(uint32_t(function(uint32_t(i))));
  return words;
}
inline std::vector<uint32_t> take(std::vector<uint32_t> words, size_t count) {
  words.resize(count);
  return words;
}

} // namespace tessera::emu

#endif // TESSERA_TEST_UNITTESTS_EMULATOR_KERNELRUN_H
