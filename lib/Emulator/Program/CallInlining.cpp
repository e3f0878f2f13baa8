//===- CallInlining.cpp - Inlining of calls ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces calls by the body of the function (PTX ISA, "call"), recursively.
// Parameters of a function are variables, which are renamed to the variables of
// the caller. Registers and variables of a function exist once, since a
// function runs only once at a time in a thread: recursion is an error. A `ret`
// becomes a branch to the end of the inlined body, so threads that return from
// different places reconverge after the call. A guarded call is preceded by a
// branch around it.
//
//===----------------------------------------------------------------------===//

#include "CallInlining.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

#include <map>

using namespace tessera::emu;
namespace emu = tessera::emu;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

/// Far more instructions than any kernel has.
static constexpr size_t kMaxInstructions = 1u << 20;

static bool isCall(const Instruction &instruction) {
  return instruction.getRoot() == "call";
}

static Error makeError(const Instruction &at, const Twine &message) {
  return llvm::createStringError(Twine(at.where.line) + ":" +
                                 Twine(at.where.column) + ": " + message);
}

static std::unique_ptr<Instruction> makeInstruction(const Instruction &at,
                                                    StringRef name) {
  auto made = std::make_unique<Instruction>();
  made->name = name.str();
  StringRef(made->name).split(made->parts, '.');
  made->where = at.where;
  return made;
}

namespace {
class Inliner {
public:
  Inliner(const Module &module, const Kernel &kernel)
      : module(module), result(std::make_unique<Kernel>()) {
    result->name = kernel.name;
    result->parameters = kernel.parameters;
    result->where = kernel.where;
    std::copy_n(kernel.maxThreads, 3, result->maxThreads);
    result->hasExactThreads = kernel.hasExactThreads;
    result->minBlocks = kernel.minBlocks;
    result->maxRegisters = kernel.maxRegisters;
    std::copy_n(kernel.cluster, 3, result->cluster);
    result->blocksAreClusters = kernel.blocksAreClusters;
  }

  Expected<std::unique_ptr<Kernel>> run(const Kernel &kernel) {
    if (Error error = emit(kernel, {}))
      return std::move(error);
    result->targets.resize(result->body.size());
    return std::move(result);
  }

private:
  /// The first register of a function in the result, and the names of its
  /// variables.
  struct Frame {
    unsigned firstRegister = 0;
    llvm::StringMap<std::string> names;
    bool isRunning = false;
  };
  using Names = llvm::StringMap<std::string>;

  Frame &getFrame(const Kernel &function);
  Error emit(const Kernel &function, const Names &parameters);
  Error emitCall(const Kernel &caller, const Frame &frame,
                 const Names &parameters, const Instruction &call);
  Error bind(const Instruction &call, const Operand &given,
             ArrayRef<Variable> wanted, const Frame &frame,
             const Names &parameters, StringRef what, Names &bound);
  void emitBranch(const Instruction &at, std::optional<Guard> guard);
  std::unique_ptr<Instruction> copy(const Instruction &instruction,
                                    const Frame &frame,
                                    const Names &parameters) const;
  void rename(Operand &operand, const Frame &frame,
              const Names &parameters) const;
  const Kernel *findFunction(StringRef name) const;
  const Variable *findVariable(StringRef name) const;

  const Module &module;
  std::unique_ptr<Kernel> result;
  std::map<const Kernel *, Frame> frames;
};
} // namespace

const Kernel *Inliner::findFunction(StringRef name) const {
  for (const std::unique_ptr<Kernel> &function : module.functions)
    if (function->name == name)
      return function.get();
  return nullptr;
}

const Variable *Inliner::findVariable(StringRef name) const {
  for (ArrayRef<Variable> variables :
       {ArrayRef(result->variables), ArrayRef(result->parameters)})
    for (const Variable &variable : variables)
      if (variable.name == name)
        return &variable;
  return nullptr;
}

Inliner::Frame &Inliner::getFrame(const Kernel &function) {
  auto [it, isNew] = frames.try_emplace(&function);
  Frame &frame = it->second;
  if (!isNew)
    return frame;
  frame.firstRegister = result->registers.size();
  bool isKernel = frames.size() == 1;
  for (const RegisterInfo &info : function.registers)
    result->registers.push_back(
        {isKernel ? info.name : info.name + "' of '" + function.name,
         info.type});
  for (const Variable &variable : function.variables) {
    Variable &added = result->variables.emplace_back(variable);
    // No other name has two at signs; see Module.h.
    if (!isKernel)
      added.name += "@@" + function.name;
    frame.names[variable.name] = added.name;
  }
  return frame;
}

void Inliner::rename(Operand &operand, const Frame &frame,
                     const Names &parameters) const {
  operand.reg += frame.firstRegister;
  if (operand.kind == Operand::Symbol) {
    if (auto it = parameters.find(operand.name); it != parameters.end())
      operand.name = it->second;
    else if (auto own = frame.names.find(operand.name);
             own != frame.names.end())
      operand.name = own->second;
  }
  for (Operand &element : operand.elements)
    rename(element, frame, parameters);
}

std::unique_ptr<Instruction> Inliner::copy(const Instruction &instruction,
                                           const Frame &frame,
                                           const Names &parameters) const {
  std::unique_ptr<Instruction> made =
      makeInstruction(instruction, instruction.name);
  made->guard = instruction.guard;
  if (made->guard)
    made->guard->reg += frame.firstRegister;
  made->operands = instruction.operands;
  for (Operand &operand : made->operands)
    rename(operand, frame, parameters);
  return made;
}

void Inliner::emitBranch(const Instruction &at, std::optional<Guard> guard) {
  std::unique_ptr<Instruction> branch = makeInstruction(at, "bra");
  branch->guard = guard;
  branch->operands.emplace_back().kind = Operand::Label;
  result->body.push_back(std::move(branch));
}

/// Binds the variables that the caller passes to parameters, or takes for
/// results.
Error Inliner::bind(const Instruction &call, const Operand &given,
                    ArrayRef<Variable> wanted, const Frame &frame,
                    const Names &parameters, StringRef what, Names &bound) {
  StringRef callee = call.operands[1].name;
  if (given.elements.size() != wanted.size())
    return makeError(call, "'" + callee + "' has " + Twine(wanted.size()) +
                               " " + what + "s, got " +
                               Twine(given.elements.size()));
  for (auto [i, operand] : llvm::enumerate(given.elements)) {
    Operand own = operand;
    rename(own, frame, parameters);
    const Variable *variable = own.kind == Operand::Symbol && own.offset == 0
                                   ? findVariable(own.name)
                                   : nullptr;
    if (!variable || variable->space != Variable::Param)
      return makeError(call, what + " " + Twine(i) + " of '" + callee +
                                 "' is no '.param' variable; the emulator "
                                 "passes no others");
    if (variable->bytes != wanted[i].bytes)
      return makeError(call, what + " " + Twine(i) + " of '" + callee +
                                 "' has " + Twine(wanted[i].bytes) +
                                 " bytes, got " + Twine(variable->bytes));
    bound[wanted[i].name] = own.name;
  }
  return Error::success();
}

Error Inliner::emitCall(const Kernel &caller, const Frame &frame,
                        const Names &parameters, const Instruction &call) {
  const Operand &target = call.operands[1];
  if (target.kind != Operand::Label)
    return makeError(call, "call through a register; the emulator knows calls "
                           "of functions by their names");
  const Kernel *callee = findFunction(target.name);
  std::optional<Guard> guard = call.guard;
  if (guard)
    guard->reg += frame.firstRegister;
  if (!callee && target.name == "__assertfail") {
    std::unique_ptr<Instruction> trap = makeInstruction(call, "trap");
    trap->guard = guard;
    result->body.push_back(std::move(trap));
    return Error::success();
  }
  if (!callee)
    return makeError(call, "call of '" + target.name +
                               "', which the module does not define");
  if (callee->hasRegisterParameters)
    return makeError(call, "'" + target.name +
                               "' has parameters in registers; the emulator "
                               "knows '.param' variables only");
  Names bound;
  if (Error error = bind(call, call.operands[0], callee->results, frame,
                         parameters, "result", bound))
    return error;
  if (Error error = bind(call, call.operands[2], callee->parameters, frame,
                         parameters, "parameter", bound))
    return error;
  if (getFrame(*callee).isRunning)
    return makeError(call, "'" + target.name +
                               "' calls itself; the emulator knows no "
                               "recursion");
  // Threads that do not call branch around the body.
  size_t around = result->body.size();
  if (guard)
    emitBranch(call, Guard{guard->reg, !guard->isNegated});
  if (Error error = emit(*callee, bound))
    return error;
  if (guard) {
    result->targets.resize(std::max(result->targets.size(), around + 1));
    result->targets[around] = {unsigned(result->body.size())};
  }
  return Error::success();
}

Error Inliner::emit(const Kernel &function, const Names &parameters) {
  Frame &frame = getFrame(function);
  bool isKernel = frames.size() == 1;
  frame.isRunning = true;
  // The new positions of the instructions, and the branches.
  std::vector<unsigned> places;
  std::vector<std::pair<unsigned, unsigned>> branches;
  std::vector<unsigned> returns;
  for (auto [i, instruction] : llvm::enumerate(function.body)) {
    unsigned place = result->body.size();
    if (place > kMaxInstructions)
      return makeError(*instruction, "more than " + Twine(kMaxInstructions) +
                                         " instructions, with those of the "
                                         "functions that are called");
    places.push_back(place);
    if (isCall(*instruction)) {
      if (Error error = emitCall(function, frame, parameters, *instruction))
        return error;
      continue;
    }
    if (!isKernel && instruction->getRoot() == "ret") {
      std::optional<Guard> guard = instruction->guard;
      if (guard)
        guard->reg += frame.firstRegister;
      emitBranch(*instruction, guard);
      returns.push_back(place);
      continue;
    }
    if (!function.targets[i].empty())
      branches.push_back({place, unsigned(i)});
    result->body.push_back(copy(*instruction, frame, parameters));
  }
  places.push_back(result->body.size());
  result->targets.resize(result->body.size());
  for (auto [place, index] : branches)
    for (unsigned target : function.targets[index])
      result->targets[place].push_back(places[target]);
  for (unsigned place : returns)
    result->targets[place] = {places.back()};
  frame.isRunning = false;
  return Error::success();
}

Expected<std::unique_ptr<Kernel>> emu::inlineCalls(const Module &module,
                                                   const Kernel &kernel) {
  if (llvm::none_of(kernel.body, [](const std::unique_ptr<Instruction> &each) {
        return isCall(*each);
      }))
    return nullptr;
  return Inliner(module, kernel).run(kernel);
}
