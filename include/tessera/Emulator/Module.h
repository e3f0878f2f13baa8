//===- Module.h - Parsed PTX ------------------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contents of a PTX file as written (PTX ISA, "Syntax", "State Spaces,
// Types, and Variables", "Instruction Operands"). Instructions are not
// interpreted here: their names are split at dots, and their operands have the
// kinds that the syntax shows.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_EMULATOR_MODULE_H
#define TESSERA_EMULATOR_MODULE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera::emu {

using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

/// The fundamental types (PTX ISA, 5.2.1) and the other types of instructions.
enum class Type : uint8_t {
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  TF32,
  F32,
  F64,
  E4M3,
  E5M2,
  E4M3x2,
  E5M2x2,
};

/// Parses the name of a type, without a dot: "f32".
std::optional<Type> parseType(StringRef text);
StringRef toString(Type type);
/// Returns the bits of a value in a register; 1 for a predicate.
unsigned getBits(Type type);
inline unsigned getBytes(Type type) { return (getBits(type) + 7) / 8; }
/// Returns the bits of a 64-bit word that a value of the type uses.
uint64_t getMask(Type type);
bool isSigned(Type type);
bool isFloat(Type type);

/// A location in the PTX text, and in the source that a preceding `.loc` names.
struct Location {
  unsigned line = 0, column = 0;
  /// Number of the `.file`; 0 without a `.loc`.
  unsigned file = 0;
  unsigned sourceLine = 0, sourceColumn = 0;
};

struct Operand {
  enum Kind : uint8_t {
    Register, // `%r1`. Sets `reg`.
    Special,  // `%tid.x`. Sets `name`, with the percent sign.
    Integer,  // `-1`, `0x10`. Sets `bits`, sign-extended to 64 bits.
    Float,    // `0f3F800000`, `0d…`, `1.5`. Sets `bits` and `floatType`.
    Symbol,   // A variable or parameter. Sets `name`, that of a Variable, and
              // `offset`, in bytes.
    Label,    // The target of a branch, or a called function. Sets `name`.
    Address,  // `[elements[0] + offset]`, or `[elements[0], elements[1]]` with
              // a Vector of coordinates. The first is a Register or a Symbol.
    Vector,   // `{…}`. Sets `elements`.
    Pair,     // `a|b`. Sets two `elements`.
    Negated,  // `!%p1`. Sets one element.
    Sink,     // `_`.
  };
  Kind kind = Sink;
  /// Index in Kernel::registers.
  unsigned reg = 0;
  uint64_t bits = 0;
  int64_t offset = 0;
  Type floatType = Type::F32;
  std::string name;
  std::vector<Operand> elements;
};

/// Returns the value of an Integer or a Float as an operand of `type`.
uint64_t getImmediate(const Operand &operand, Type type);

struct Guard {
  unsigned reg = 0;
  bool isNegated = false;
};

/// A call has three operands: a Vector of the variables for the results, the
/// function (a Label or a Register), and a Vector of the arguments.
struct Instruction {
  /// "mbarrier.try_wait.parity.shared::cta.b64", and this name split at dots.
  std::string name;
  SmallVector<StringRef, 8> parts;
  std::optional<Guard> guard;
  std::vector<Operand> operands;
  Location where;

  bool has(StringRef part) const {
    return llvm::is_contained(llvm::ArrayRef<StringRef>(parts).drop_front(),
                              part);
  }
  StringRef getRoot() const { return parts.front(); }

  Instruction() = default;
  // `parts` refer to `name`.
  Instruction(const Instruction &) = delete;
  Instruction &operator=(const Instruction &) = delete;
};

struct RegisterInfo {
  std::string name;
  Type type;
};

/// A parameter, or a variable in shared, constant or global memory.
struct Variable {
  enum Space : uint8_t { Param, Shared, Global, Const, Local };
  std::string name;
  Space space = Param;
  uint64_t bytes = 0, alignment = 1;
  /// The launch determines the size (`.extern .shared .b8 smem[]`).
  bool isExtern = false;
  /// The first bytes; the other bytes, up to `bytes`, are zero.
  std::vector<uint8_t> initializer;
  Location where;
};

struct Kernel {
  std::string name;
  std::vector<Variable> parameters;
  /// All registers, also of nested blocks; each has its own number.
  std::vector<RegisterInfo> registers;
  /// Variables in shared and local memory, and the parameters of calls (Param),
  /// also of nested blocks. Their names differ from each other and from all
  /// names of the module that the kernel sees: a variable that hides another
  /// one is called "name@1".
  std::vector<Variable> variables;
  std::vector<std::unique_ptr<Instruction>> body;
  /// The possible targets of each branch, by its index in `body`. They are the
  /// resolved labels of its operand, or of the list that `brx.idx` names, in
  /// order. A label after the last instruction is the size of `body`. Empty for
  /// other instructions.
  std::vector<SmallVector<unsigned, 1>> targets;
  Location where;
  /// For a function: its results. `hasRegisterParameters` is set if results or
  /// parameters are registers, which are in no list.
  std::vector<Variable> results;
  bool hasRegisterParameters = false;

  /// Directives for performance (PTX ISA, 11.4); 0 if absent.
  unsigned maxThreads[3] = {0, 0, 0};
  bool hasExactThreads = false; // .reqntid
  unsigned minBlocks = 0, maxRegisters = 0;
  unsigned cluster[3] = {0, 0, 0};
  /// The grid of the launch counts clusters (.blocksareclusters).
  bool blocksAreClusters = false;
};

struct Module {
  std::string target;
  unsigned majorVersion = 0, minorVersion = 0;
  std::vector<std::unique_ptr<Kernel>> kernels;
  /// Functions with bodies, which kernels may call.
  std::vector<std::unique_ptr<Kernel>> functions;
  /// Variables of the module, visible in all kernels.
  std::vector<Variable> variables;
  /// Files by number of `.file`; one for each number in a location.
  std::vector<std::string> files;

  const Kernel *findKernel(StringRef name) const;
};

} // namespace tessera::emu

#endif // TESSERA_EMULATOR_MODULE_H
