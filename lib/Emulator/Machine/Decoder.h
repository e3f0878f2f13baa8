//===- Decoder.h - Decodes instructions to actions --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_MACHINE_DECODER_H
#define TESSERA_LIB_EMULATOR_MACHINE_DECODER_H

#include "Op.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <map>
#include <set>

namespace tessera::emu {

/// Special registers whose value is the same for a thread as long as it runs.
enum class Special : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  ClusterIdX,
  ClusterIdY,
  ClusterIdZ,
  NclusterIdX,
  NclusterIdY,
  NclusterIdZ,
  ClusterCtaidX,
  ClusterCtaidY,
  ClusterCtaidZ,
  ClusterNctaidX,
  ClusterNctaidY,
  ClusterNctaidZ,
  ClusterCtarank,
  ClusterNctarank,
  LaneId,
  WarpId,
  NwarpId,
  SmId,
  NsmId,
  GridId,
  IsExplicitCluster,
  LanemaskEq,
  LanemaskLe,
  LanemaskLt,
  LanemaskGe,
  LanemaskGt,
  DynamicSharedBytes,
  TotalSharedBytes,
};

struct DecodedKernel {
  const Kernel *kernel = nullptr;
  std::vector<Op> ops;
  unsigned slots = 0;
  std::vector<std::pair<Slot, uint64_t>> constants;
  std::vector<std::pair<Slot, Special>> specials;
  /// Slots of the addresses of variables in global or constant memory, which
  /// the launch determines.
  std::vector<std::pair<Slot, const Variable *>> globals;
  /// Registers that no instruction writes: a read of them may have any value.
  std::vector<Slot> undefined;
  /// Bytes of the variables in shared memory; extern variables begin after
  /// them.
  uint64_t staticShared = 0;
  /// Offsets of parameters in their space, and its bytes.
  std::vector<uint64_t> parameterOffsets;
  uint64_t parameterBytes = 0;
  /// Bytes of local memory of each thread.
  uint64_t localBytes = 0;
  /// Whether the kernel has wgmma products, whose registers are checked.
  bool hasProducts = false;
  /// Whether atomic instructions acquire or release, which orders clusters.
  bool isOrdered = false;
};

class Decoder {
public:
  Decoder(const Module &module, const Kernel &kernel);

  /// Decodes the kernel. Fails at the first unknown instruction.
  llvm::Expected<DecodedKernel> run();

  //===--------------------------------------------------------------------===//
  // For the decoders of instructions
  //===--------------------------------------------------------------------===//

  llvm::Error makeError(const llvm::Twine &message) const;
  /// Fails with "12:3: expected 3 operands, got 2", unless the number of
  /// operands is in this range.
  llvm::Error expectOperands(size_t least, size_t most) const;

  /// Returns the slot of an operand that is read as a value of a type, and adds
  /// registers to `op.reads`.
  llvm::Expected<Slot> getSource(const Operand &operand, Type type);
  /// Returns the slot of a result (`_`: an unused slot), and adds registers to
  /// `op.writes`.
  llvm::Expected<Slot> getTarget(const Operand &operand);
  /// Returns the slots of the elements of a vector, or of the operand alone.
  llvm::Expected<SmallVector<Slot, 4>> getSources(const Operand &operand,
                                                  Type type);
  llvm::Expected<SmallVector<Slot, 4>> getTargets(const Operand &operand);

  struct Place {
    Slot base = 0;
    int64_t offset = 0;
  };
  llvm::Expected<Place> getPlace(const Operand &operand);
  /// Checks whether an address is in local memory, like parameters of calls.
  bool isLocal(const Operand &address) const;

  /// Decodes an instruction that computes in each thread.
  llvm::Error decodeScalar();

  /// Notes an instruction that orders clusters.
  void noteOrder() { result.isOrdered = true; }
  /// Adds an accumulator of a product, which is not in `op.writes` since other
  /// rules apply to it.
  void noteProductTarget(Slot slot) { productTargets.insert(slot); }

  Slot getConstant(uint64_t bits);
  const Instruction &getInstruction() const { return *op->source; }
  const Operand &getOperand(unsigned index) const {
    return getInstruction().operands[index];
  }
  Op &getOp() { return *op; }
  const Kernel &getKernel() const { return kernel; }

private:
  void placeVariables();
  llvm::Error decode(unsigned index);
  llvm::Error decodeFlow(unsigned index);
  /// IndexedBranch.cpp
  llvm::Error decodeIndexedBranch(unsigned index);
  llvm::Expected<Slot> getSpecial(llvm::StringRef name);
  llvm::Expected<Slot> getSymbol(const Operand &operand);

  const Module &module;
  const Kernel &kernel;
  DecodedKernel result;
  std::map<uint64_t, Slot> constants;
  std::map<Special, Slot> specials;
  std::map<std::pair<const Variable *, int64_t>, Slot> globals;
  /// Variables by name, with addresses in their spaces.
  llvm::StringMap<std::pair<const Variable *, uint64_t>> symbols;
  std::set<Slot> productTargets;
  std::vector<unsigned> meets;
  Op *op = nullptr;
};

/// Decodes an instruction into `decoder.getOp()`.
using Decode = llvm::Error (*)(Decoder &decoder);
/// Decoders by the first part of the name.
using DecodeTable = llvm::StringMap<Decode>;

void addMoveOps(DecodeTable &table);
void addMemoryOps(DecodeTable &table);
void addMatrixMemoryOps(DecodeTable &table);
void addWarpOps(DecodeTable &table);
void addBarrierOps(DecodeTable &table);
void addMbarrierOps(DecodeTable &table);
void addCopyOps(DecodeTable &table);
void addProductOps(DecodeTable &table);
void addWarpProductOps(DecodeTable &table);
void addComparisonOps(DecodeTable &table);
const DecodeTable &getDecodeTable();

/// Unwraps an Expected, or returns its error.
#define TESSERA_EMU_TRY(name, expression)                                      \
  auto name##OrError = (expression);                                           \
  if (!name##OrError)                                                          \
    return name##OrError.takeError();                                          \
  auto name = std::move(*name##OrError)

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_MACHINE_DECODER_H
