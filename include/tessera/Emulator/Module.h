//===- Module.h - The text of PTX, read -------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a PTX file says, as it says it (PTX ISA, "Syntax", "State Spaces, Types,
// and Variables", "Instruction Operands"). Instructions are not interpreted
// here: their names are split at dots, and their operands have the kinds that
// the syntax shows.
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

/// The fundamental types (PTX ISA, 5.2.1) and those that instructions name.
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

/// "f32" to F32; without a dot.
std::optional<Type> parseType(StringRef text);
StringRef toString(Type type);
/// Of a value in a register; 1 for a predicate.
unsigned getBits(Type type);
inline unsigned getBytes(Type type) { return (getBits(type) + 7) / 8; }
/// The bits of a 64-bit word that a value of the type has.
uint64_t getMask(Type type);
bool isSigned(Type type);
bool isFloat(Type type);

/// A place in the PTX text, and in the source that a `.loc` before it names.
struct Location {
  unsigned line = 0, column = 0;
  /// Number of the `.file`; 0 if no `.loc` holds here.
  unsigned file = 0;
  unsigned sourceLine = 0, sourceColumn = 0;
};

struct Operand {
  enum Kind : uint8_t {
    Register, // %r1: `reg`
    Special,  // %tid.x: `name`, with the percent sign
    Integer,  // -1, 0x10: `bits`, sign-extended to 64
    Float,    // 0f3F800000 (`bits` of f32), 0d… and 1.5 (of f64): `floatType`
    Symbol,   // a variable or parameter, with `offset` bytes added to it;
              // `name` is that of a Variable
    Label,    // the target of a branch, or a function that is called: `name`
    Address,  // [elements[0] + offset], or [elements[0], elements[1]] with a
              // Vector of coordinates; elements[0] is a Register or a Symbol
    Vector,   // {…}: `elements`
    Pair,     // a|b: two `elements`
    Negated,  // !%p1: one element
    Sink,     // _
  };
  Kind kind = Sink;
  /// Place in Kernel::registers.
  unsigned reg = 0;
  uint64_t bits = 0;
  int64_t offset = 0;
  Type floatType = Type::F32;
  std::string name;
  std::vector<Operand> elements;
};

struct Guard {
  unsigned reg = 0;
  bool isNegated = false;
};

/// A call has three operands: a Vector of what takes the results, the function
/// (a Label, or a Register), and a Vector of the arguments.
struct Instruction {
  /// "mbarrier.try_wait.parity.shared::cta.b64", and that split at dots.
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
  // `parts` are of `name`.
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
  /// Its size comes with the launch (`.extern .shared .b8 smem[]`).
  bool isExtern = false;
  /// The first bytes; the others, up to `bytes`, are zero.
  std::vector<uint8_t> initializer;
  Location where;
};

struct Kernel {
  std::string name;
  std::vector<Variable> parameters;
  /// Those of nested blocks too, each under its own number.
  std::vector<RegisterInfo> registers;
  /// In shared and local memory, and the parameters of calls (Param), those of
  /// nested blocks too. Their names differ
  /// from each other and from all that the kernel sees of the module: one that
  /// hides another is called "name@1".
  std::vector<Variable> variables;
  std::vector<std::unique_ptr<Instruction>> body;
  /// By the number of a branch (its place in `body`): the places that it may
  /// go to, of labels that are resolved, in the order of its operands, or of
  /// the list that `brx.idx` names. That of a label after the last instruction
  /// is the size of `body`. Empty for other instructions.
  std::vector<SmallVector<unsigned, 1>> targets;
  Location where;
  /// Of a function: what it gives, and whether some of this or of the
  /// parameters are registers, which are in no list.
  std::vector<Variable> results;
  bool hasRegisterParameters = false;

  /// Directives for performance (PTX ISA, 11.4); 0 where there are none.
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
  /// Those that kernels may call, with bodies.
  std::vector<std::unique_ptr<Kernel>> functions;
  /// Of the module, seen by all kernels.
  std::vector<Variable> variables;
  /// By number of `.file`; one for each number in a location.
  std::vector<std::string> files;

  const Kernel *findKernel(StringRef name) const;
};

} // namespace tessera::emu

#endif // TESSERA_EMULATOR_MODULE_H
