//===- ElementProgram.cpp - PTX that computes an element ------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text becomes the body of a kernel whose registers `$0`, `$1`, … are the
// result and the operands. A forward pass over the straight-line code finds the
// form of each instruction, checks the types of its operands, and keeps the set
// of registers that are written for certain.
//
//===----------------------------------------------------------------------===//

#include "tessera/Emulator/ElementProgram.h"

#include "tessera/Emulator/Parser.h"
#include "tessera/Emulator/ScalarForms.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"

using namespace tessera::emu;
namespace emu = tessera::emu;
using llvm::Twine;

namespace {

/// A decoded instruction. Slots are registers, followed by constants.
struct ElementStep {
  ScalarFunction function;
  SmallVector<unsigned, 4> sources;
  unsigned target = 0;
  std::optional<Guard> guard;
  /// The result is extended to this width from its signed type.
  Type type = Type::B32;
  unsigned width = 0;
};

class StraightLine final : public ElementProgram {
public:
  void run(ArrayRef<ArrayRef<uint64_t>> operands,
           llvm::MutableArrayRef<uint64_t> results) const override;
  ArrayRef<std::unique_ptr<Instruction>> getInstructions() const override {
    return module->kernels.front()->body;
  }

  std::unique_ptr<Module> module;
  std::vector<ElementStep> steps;
  /// The initial values of all slots.
  std::vector<uint64_t> slots;
};

class ElementProgramBuilder {
public:
  ElementProgramBuilder(StringRef text, Type result, ArrayRef<Type> operands,
                        TextError &error)
      : text(text), types({result}), error(error) {
    llvm::append_range(types, operands);
  }

  std::unique_ptr<const ElementProgram> build();

private:
  bool fail(unsigned line, unsigned column, const Twine &message);
  bool fail(const Twine &message);
  /// Fails at the character of the text at `position`.
  bool failAt(size_t position, const Twine &message);

  bool checkOperandNames();
  bool parse();
  bool checkDeclarations();
  bool decode(const Instruction &instruction);
  bool checkRegister(unsigned reg, Type type);
  std::optional<unsigned> getSource(const Operand &operand, Type type);
  bool setTarget(const Operand &operand, Type type);
  bool isOperand(unsigned reg) const { return reg > 0 && reg < types.size(); }
  StringRef getName(unsigned reg) const { return kernel->registers[reg].name; }

  StringRef text;
  /// The type of the result, then those of the operands.
  SmallVector<Type, 4> types;
  TextError &error;
  std::unique_ptr<StraightLine> program = std::make_unique<StraightLine>();
  Kernel *kernel = nullptr;
  /// The number of lines before the text.
  unsigned firstLine = 0;
  /// The instruction that is decoded, and its step.
  const Instruction *current = nullptr;
  ElementStep step;
  std::vector<bool> isWritten, isRead;
};

} // namespace

void StraightLine::run(ArrayRef<ArrayRef<uint64_t>> operands,
                       llvm::MutableArrayRef<uint64_t> results) const {
  std::vector<uint64_t> words = slots;
  for (size_t i = 0; i < results.size(); ++i) {
    for (auto [number, operand] : llvm::enumerate(operands))
      words[number + 1] = operand[i];
    for (const ElementStep &step : steps) {
      if (step.guard && (words[step.guard->reg] != 0) == step.guard->isNegated)
        continue;
      uint64_t sources[4] = {};
      for (auto [source, slot] : llvm::zip(sources, step.sources))
        source = words[slot];
      words[step.target] =
          extendResult(step.function(sources), step.type, step.width);
    }
    results[i] = words[0];
  }
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

bool ElementProgramBuilder::fail(unsigned line, unsigned column,
                                 const Twine &message) {
  error = {line, column, message.str()};
  return false;
}

bool ElementProgramBuilder::fail(const Twine &message) {
  return fail(current->where.line, current->where.column, message);
}

bool ElementProgramBuilder::failAt(size_t position, const Twine &message) {
  StringRef before = text.take_front(position);
  unsigned line = before.count('\n') + 1;
  return fail(line, position - (before.rfind('\n') + 1) + 1, message);
}

static bool isBits(Type type) {
  return !isFloat(type) && toString(type).front() == 'b';
}

static std::string describeRegister(Type type) {
  if (type == Type::Pred)
    return "a predicate";
  if (isFloat(type))
    return ("`" + toString(type) + "`").str();
  return (isBits(type) ? "a register of " : "an integer of ") +
         std::to_string(getBits(type)) + " bits";
}

/// Returns why `asm` does not have an instruction; empty if there is no such
/// instruction.
static StringRef findReason(StringRef root) {
  return llvm::StringSwitch<StringRef>(root)
      .Cases({"ld",
              "ldu",
              "st",
              "atom",
              "red",
              "cp",
              "prefetch",
              "prefetchu",
              "multimem",
              "ldmatrix",
              "stmatrix",
              "cvta",
              "mapa",
              "isspacep",
              "tex",
              "suld",
              "sust",
              "discard",
              "applypriority",
              "createpolicy",
              "tensormap",
              "alloca"},
             "accesses memory, but `asm` computes with registers; load a tile "
             "before, and store the result")
      .Cases({"bar", "barrier", "mbarrier", "fence", "membar", "clusterlaunch",
              "griddepcontrol", "nanosleep"},
             "synchronizes threads, but `asm` computes one element; the "
             "compiler adds barriers")
      .Cases({"shfl", "vote", "match", "redux", "activemask", "elect"},
             "depends on other threads, but `asm` computes one element; "
             "`reduce` combines elements")
      .Cases({"mma", "wgmma", "wmma", "tcgen05", "movmatrix", "setmaxnreg"},
             "is an instruction of a warp, but `asm` computes one element; `@` "
             "multiplies tiles")
      .Case("call", "calls a device function, which is not linked; write an "
                    "`fn` of the language")
      .Cases({"bra", "brx", "ret", "exit", "trap", "brkpt"},
             "is control flow, but `asm` computes an element without branches; "
             "select with `selp` or a guard")
      .Case("mov", "packs or unpacks a vector, which `asm` does not have; use "
                   "`prmt`, `shl` and `or`")
      .Default("");
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static bool isPartOfName(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$' || c == '%';
}

/// Checks that each `$` begins the name of the result or of an operand: code
/// generation replaces the names in the text.
bool ElementProgramBuilder::checkOperandNames() {
  for (size_t at = text.find('$'); at != StringRef::npos;
       at = text.find('$', at)) {
    StringRef name = text.drop_front(at + 1).take_while(isPartOfName);
    unsigned number = 0;
    if (name.getAsInteger(10, number) || (at > 0 && isPartOfName(text[at - 1])))
      return failAt(at, "`$` begins the number of an operand, such as `$1`; "
                        "names of registers are without it");
    if (number >= types.size())
      return failAt(at, "there is no operand `$" + Twine(number) +
                            "`; the operands are `$1` to `$" +
                            Twine(types.size() - 1) +
                            "`, and the result is "
                            "`$0`");
    at += 1 + name.size();
  }
  return true;
}

bool ElementProgramBuilder::parse() {
  std::string file = ".version 8.0\n.target sm_90a\n.entry asm()\n{\n";
  for (auto [number, type] : llvm::enumerate(types))
    file += (".reg ." + toString(type == Type::BF16 ? Type::B16 : type) + " $" +
             Twine(number) + ";\n")
                .str();
  // The text cannot have the name `$end`. It is known at the end of the text
  // unless a brace of the text closes the block.
  file += "{ .reg .pred $end;\n";
  firstLine = StringRef(file).count('\n');
  file += text;
  file += "\nnot.pred $end, $end;\n}\n}\n";
  llvm::Expected<std::unique_ptr<Module>> module = emu::parse(file, "asm");
  if (!module) {
    // "asm:12:3: message"
    std::string message = llvm::toString(module.takeError());
    SmallVector<StringRef, 4> parts;
    StringRef(message).split(parts, ':', /*MaxSplit=*/3);
    unsigned line = 0, column = 0, lines = text.count('\n') + 1;
    parts[1].getAsInteger(10, line);
    parts[2].getAsInteger(10, column);
    StringRef reason = parts[3].ltrim();
    if (reason.contains("'$end'"))
      return fail(0, 0, "a `}` in the text of `asm` closes no `{`");
    // The end of the text is reported after its last character.
    if (line > firstLine + lines)
      return failAt(text.rtrim().size(),
                    reason.take_front(reason.rfind(", found")) +
                        ", found the end of the text");
    return fail(line - firstLine, column, reason);
  }
  program->module = std::move(*module);
  return true;
}

bool ElementProgramBuilder::checkDeclarations() {
  const Module &module = *program->module;
  kernel = module.kernels.front().get();
  if (!module.variables.empty() || !kernel->variables.empty())
    return fail(0, 0, "`asm` has registers, but no variables in memory");
  for (const RegisterInfo &info : kernel->registers)
    if (StringRef(info.name).starts_with("%"))
      return failAt(text.find('%'), "the name of a register in `asm` begins "
                                    "with a letter, since names that begin "
                                    "with `%` are the compiler's");
  kernel->body.pop_back();
  if (kernel->body.empty())
    return fail(0, 0, "the text of `asm` has no instruction");
  for (auto [number, type] : llvm::enumerate(types))
    kernel->registers[number].type = type;
  for (const std::unique_ptr<Instruction> &instruction : kernel->body)
    instruction->where.line -= firstLine;
  if (kernel->body.back()->where.file != 0)
    return fail(0, 0, "`asm` has the place of its text, and no `.loc`");
  return true;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// Checks whether an instruction takes a register of the type `reg` where it
/// has the type `type` (PTX ISA, "Operand Type Checking"). The register of an
/// integer operand is declared as bits, so it may hold a pair of floats.
static bool accepts(Type reg, bool isOperand, Type type, bool isConversion) {
  if (reg == Type::Pred || type == Type::Pred)
    return reg == type;
  bool isInteger = !isFloat(reg) && !isFloat(type);
  // "Operand Size Exceeding Instruction-Type Size".
  if (isConversion && isInteger && getBits(reg) > getBits(type))
    return true;
  if (getBits(reg) != getBits(type))
    return false;
  bool isNumber =
      llvm::is_contained({Type::F16, Type::BF16, Type::F32, Type::F64}, type);
  return isInteger || reg == type || isBits(reg) || isBits(type) ||
         (isOperand && !isFloat(reg) && !isNumber);
}

bool ElementProgramBuilder::checkRegister(unsigned reg, Type type) {
  Type actual = kernel->registers[reg].type;
  if (accepts(actual, reg < types.size(), type, current->getRoot() == "cvt"))
    return true;
  std::string hint;
  if (reg < types.size() && getBits(actual) == getBits(type))
    hint = isFloat(type) ? "; `bits` converts"
                         : "; `bits` converts, or `mov.b" +
                               std::to_string(getBits(type)) + "` in the text";
  return fail("'" + current->name + "' has " + describeRegister(type) +
              " here, but `" + getName(reg) + "` is " +
              describeRegister(actual) + hint);
}

std::optional<unsigned> ElementProgramBuilder::getSource(const Operand &operand,
                                                         Type type) {
  auto refuse = [&](const Twine &message) {
    fail(message);
    return std::nullopt;
  };
  auto addConstant = [&] {
    program->slots.push_back(getImmediate(operand, type));
    return program->slots.size() - 1;
  };
  switch (operand.kind) {
  case Operand::Register:
    if (!checkRegister(operand.reg, type))
      return std::nullopt;
    if (!isWritten[operand.reg])
      return refuse("'" + current->name + "' reads `" + getName(operand.reg) +
                    "`, which no instruction before has set");
    isRead[operand.reg] = true;
    return operand.reg;
  case Operand::Integer:
    if (isFloat(type))
      return refuse("'" + current->name + "' has " + describeRegister(type) +
                    " here, but the number is an integer; write it as `1.0` "
                    "or `0f3F800000`");
    return addConstant();
  case Operand::Float:
    if (type == Type::F32 || type == Type::F64 ||
        (isBits(type) && getBits(type) == getBits(operand.floatType)))
      return addConstant();
    return refuse("'" + current->name + "' has " + describeRegister(type) +
                  " here, but the number is `" + toString(operand.floatType) +
                  "`");
  case Operand::Special:
    return refuse("`" + Twine(operand.name) +
                  "` depends on the thread or the machine, but `asm` computes "
                  "one element; positions are `m.index` of a range");
  default:
    return refuse("an operand of '" + current->name +
                  "' is neither a register nor a number");
  }
}

bool ElementProgramBuilder::setTarget(const Operand &operand, Type type) {
  if (operand.kind != Operand::Register)
    return fail("the result of '" + current->name + "' is not a register");
  unsigned reg = operand.reg;
  if (isOperand(reg))
    return fail("'" + current->name + "' changes the operand `" + getName(reg) +
                "`; write to `$0`, or to a register of your own, as in "
                "`.reg .b32 t;`");
  if (!checkRegister(reg, type))
    return false;
  if (current->guard && !isWritten[reg])
    return fail("'" + current->name + "' sets `" + getName(reg) +
                "` only if the guard holds, and no instruction before has set "
                "it");
  isWritten[reg] = true;
  step.target = reg;
  step.type = type;
  step.width = std::max(getBits(type), getBits(kernel->registers[reg].type));
  return true;
}

bool ElementProgramBuilder::decode(const Instruction &instruction) {
  current = &instruction;
  step = ElementStep();
  llvm::Expected<std::optional<ScalarForm>> form = findScalarForm(instruction);
  if (!form)
    return fail(llvm::toString(form.takeError()));
  if (!*form) {
    StringRef reason = findReason(instruction.getRoot());
    if (reason.empty())
      return fail("unknown instruction '" + instruction.name + "'");
    return fail("'" + instruction.name + "' " + reason);
  }
  step.function = (*form)->function;
  step.guard = instruction.guard;
  if (step.guard) {
    Operand guard;
    guard.kind = Operand::Register;
    guard.reg = step.guard->reg;
    if (!getSource(guard, Type::Pred))
      return false;
  }
  for (auto [operand, type] : llvm::zip(
           ArrayRef(instruction.operands).drop_front(), (*form)->operands)) {
    std::optional<unsigned> source = getSource(operand, type);
    if (!source)
      return false;
    step.sources.push_back(*source);
  }
  if (!setTarget(instruction.operands.front(), (*form)->result))
    return false;
  program->steps.push_back(step);
  return true;
}

std::unique_ptr<const ElementProgram> ElementProgramBuilder::build() {
  if (!checkOperandNames() || !parse() || !checkDeclarations())
    return nullptr;
  program->slots.resize(kernel->registers.size());
  isRead.resize(kernel->registers.size());
  isWritten.resize(kernel->registers.size());
  for (unsigned reg = 1; reg < types.size(); ++reg)
    isWritten[reg] = true;
  for (const std::unique_ptr<Instruction> &instruction : kernel->body)
    if (!decode(*instruction))
      return nullptr;
  for (unsigned reg = 1; reg < types.size(); ++reg)
    if (!isRead[reg]) {
      fail(0, 0,
           "the text does not use the operand `" + getName(reg) +
               "`; remove the argument");
      return nullptr;
    }
  if (!isWritten[0]) {
    fail(0, 0, "the text does not set the result `$0`");
    return nullptr;
  }
  return std::move(program);
}

std::unique_ptr<const ElementProgram>
ElementProgram::parse(StringRef text, Type result, ArrayRef<Type> operands,
                      TextError &error) {
  return ElementProgramBuilder(text, result, operands, error).build();
}
