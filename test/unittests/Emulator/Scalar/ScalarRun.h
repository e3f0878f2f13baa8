//===- ScalarRun.h - Runs one scalar instruction ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TEST_UNITTESTS_EMULATOR_SCALARRUN_H
#define TESSERA_TEST_UNITTESTS_EMULATOR_SCALARRUN_H

#include "tessera/Emulator/ScalarForms.h"

#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"

#include <random>

namespace tessera::emu {

/// An instruction `name` whose operands are registers: a result and `sources`.
inline std::unique_ptr<Instruction> makeInstruction(StringRef name,
                                                    unsigned sources) {
  auto instruction = std::make_unique<Instruction>();
  instruction->name = name.str();
  StringRef(instruction->name).split(instruction->parts, '.');
  for (unsigned i = 0; i <= sources; ++i) {
    Operand operand;
    operand.kind = Operand::Register;
    operand.reg = i;
    instruction->operands.push_back(operand);
  }
  return instruction;
}

/// The form, or none with a failure of the test.
inline std::optional<ScalarForm> getForm(StringRef name, unsigned sources) {
  auto form = findScalarForm(*makeInstruction(name, sources));
  if (!form) {
    ADD_FAILURE() << llvm::toString(form.takeError());
    return std::nullopt;
  }
  if (!*form)
    ADD_FAILURE() << name.str() << " is taken for another kind";
  return *form;
}

inline uint64_t run(StringRef name, std::initializer_list<uint64_t> words) {
  std::optional<ScalarForm> form = getForm(name, words.size());
  return form ? form->function(words.begin()) : 0xdeadbeefdeadbeef;
}

/// The message of the error that the instruction gives; empty if there is none.
inline std::string getError(StringRef name, unsigned sources) {
  auto form = findScalarForm(*makeInstruction(name, sources));
  return form ? "" : llvm::toString(form.takeError());
}

inline uint64_t bits(float value) { return llvm::bit_cast<uint32_t>(value); }
inline uint64_t bits(double value) { return llvm::bit_cast<uint64_t>(value); }
inline float toFloat(uint64_t word) {
  return llvm::bit_cast<float>(static_cast<uint32_t>(word));
}
inline double toDouble(uint64_t word) { return llvm::bit_cast<double>(word); }

/// Words that are random, and often near the edges of their ranges.
class RandomWords {
public:
  uint64_t get(unsigned width) {
    uint64_t word = engine();
    uint64_t mask = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
    switch (engine() % 4) {
    case 0:
      return word & mask;
    case 1:
      return word % 5 & mask;
    case 2:
      return (0 - word % 5) & mask;
    default:
      return ((uint64_t(1) << (word >> 8) % width) - word % 3) & mask;
    }
  }

private:
  std::mt19937_64 engine{1234};
};

} // namespace tessera::emu

#endif // TESSERA_TEST_UNITTESTS_EMULATOR_SCALARRUN_H
