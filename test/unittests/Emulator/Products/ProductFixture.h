//===- ProductFixture.h - Instructions of products --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TEST_UNITTESTS_EMULATOR_PRODUCTFIXTURE_H
#define TESSERA_TEST_UNITTESTS_EMULATOR_PRODUCTFIXTURE_H

#include "tessera/Emulator/MatrixProduct.h"

namespace tessera::emu {

inline Operand makeProductOperand(Operand::Kind kind, int64_t value = 0) {
  Operand operand;
  operand.kind = kind;
  operand.bits = static_cast<uint64_t>(value);
  return operand;
}

inline Operand makeRegisters(unsigned count) {
  Operand vector = makeProductOperand(Operand::Vector);
  vector.elements.assign(count, makeProductOperand(Operand::Register));
  return vector;
}

/// D of `accumulators` registers, A of `aRegisters` or a descriptor, B,
/// scale-d, and the immediates.
inline std::unique_ptr<Instruction>
makeProduct(std::string name, unsigned accumulators, unsigned aRegisters,
            std::vector<int64_t> immediates) {
  auto instruction = std::make_unique<Instruction>();
  instruction->name = std::move(name);
  StringRef(instruction->name).split(instruction->parts, '.');
  auto &operands = instruction->operands;
  operands.push_back(makeRegisters(accumulators));
  operands.push_back(aRegisters ? makeRegisters(aRegisters)
                                : makeProductOperand(Operand::Register));
  operands.push_back(makeProductOperand(Operand::Register));
  operands.push_back(makeProductOperand(Operand::Register));
  for (int64_t value : immediates)
    operands.push_back(makeProductOperand(Operand::Integer, value));
  return instruction;
}

} // namespace tessera::emu

#endif // TESSERA_TEST_UNITTESTS_EMULATOR_PRODUCTFIXTURE_H
