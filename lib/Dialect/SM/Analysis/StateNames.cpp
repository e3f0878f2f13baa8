//===- StateNames.cpp - Canonical names of states ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StateNames.h"

#include "llvm/ADT/Sequence.h"

#include <limits>

using namespace tessera;
using namespace tessera::sm;

namespace {
/// Loops of agents whose indices differ by steps: the first of them, and the
/// least and the most iterations that one of them is ahead.
struct Family {
  ScalarSum distance, step, bound;
  int64_t least = 0, most = 0;
};

class Naming {
public:
  Naming(RoleInterpreter &machine, MachineState &state)
      : atoms(machine.getAtoms()), machine(machine), state(state), os(name) {}

  std::string run();

private:
  void collectFamilies();
  std::optional<std::pair<unsigned, int64_t>>
  findPlace(const ScalarSum &distance);
  void print(const ScalarSum &sum);
  void printAtom(unsigned number);
  void printAgent(const Agent &agent);
  void printTokens();
  int64_t getTaken(Value ring) const {
    return state.tokens.rings.find(ring)->second.getTaken();
  }
  int64_t getSlots(Value ring) const {
    return state.tokens.rings.find(ring)->second.slots;
  }
  void printFacts();
  /// Returns the text that `print` prints, or nothing if the text is about an
  /// iteration that no agent is in.
  std::optional<std::string> describe(llvm::function_ref<void()> print);

  ScalarAtoms &atoms;
  RoleInterpreter &machine;
  MachineState &state;
  SmallVector<Family> families;
  /// Least distance of an index from its bound, over loops of known length that
  /// agents are in.
  int64_t leastOfKnown = std::numeric_limits<int64_t>::max();
  llvm::DenseMap<unsigned, unsigned> unknowns;
  /// Whether what no agent is in may be named, and whether it was met.
  bool isOpen = true, isOver = false;
  std::string name;
  llvm::raw_string_ostream os;
};
} // namespace

static int64_t getSize(const ScalarSum &step) {
  int64_t size = std::abs(step.constant);
  for (auto [atom, factor] : step.terms)
    size += std::abs(factor);
  return size;
}

void Naming::collectFamilies() {
  SmallVector<Family> loops;
  for (const Agent &agent : state.agents)
    for (const Frame &frame : agent.frames)
      if (isa<scf::ForOp>(frame.owner)) {
        ScalarSum bound = atoms.expand(frame.bound);
        loops.push_back({atoms.expand(frame.index) - bound,
                         atoms.expand(frame.step), bound});
      }
  // Steps of loops that share iterations out are multiples of others.
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(loops.size()));
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::pair(getSize(loops[a].step), a) <
           std::pair(getSize(loops[b].step), b);
  });
  for (unsigned index : order) {
    Family &loop = loops[index];
    if (loop.distance.isConstant()) {
      leastOfKnown = std::min(leastOfKnown, loop.distance.constant);
      continue;
    }
    if (auto place = findPlace(loop.distance)) {
      Family &family = families[place->first];
      family.least = std::min(family.least, place->second);
      family.most = std::max(family.most, place->second);
    } else {
      families.push_back(loop);
    }
  }
}

std::optional<std::pair<unsigned, int64_t>>
Naming::findPlace(const ScalarSum &distance) {
  for (auto [index, family] : llvm::enumerate(families))
    if (std::optional<int64_t> steps =
            (distance - family.distance).getMultipleOf(family.step))
      return std::pair<unsigned, int64_t>(index, *steps);
  return std::nullopt;
}

void Naming::printAtom(unsigned number) {
  // Atoms may move while operands are printed.
  ScalarAtoms::Atom atom = atoms[number];
  if (atom.isFixed) {
    os << "v" << number;
    return;
  }
  switch (atom.kind) {
  case ScalarAtoms::Kind::Leaf:
    llvm_unreachable("it is fixed");
  case ScalarAtoms::Kind::Result:
    os << atom.name << "(";
    for (const ScalarSum &operand : atom.operands)
      print(operand);
    os << ")";
    return;
  case ScalarAtoms::Kind::Iteration:
    if (atom.operands[0].isConstant()) {
      isOver |= !isOpen && atom.operands[0].constant < leastOfKnown;
      print(atom.operands[1]);
      return;
    }
    if (auto place = findPlace(atom.operands[0]);
        place && place->second >= families[place->first].least) {
      os << "i" << place->first << ":" << place->second;
      return;
    }
    break;
  case ScalarAtoms::Kind::Unknown:
  case ScalarAtoms::Kind::FirstProgram:
    break;
  }
  auto known = unknowns.find(number);
  if (known == unknowns.end() && !isOpen) {
    isOver = true;
    return;
  }
  os << "u" << unknowns.try_emplace(number, unknowns.size()).first->second;
}

void Naming::print(const ScalarSum &sum) {
  os << "[" << sum.constant;
  for (auto [atom, factor] : sum.terms) {
    os << "," << factor << "*";
    printAtom(atom);
  }
  os << "]";
}

void Naming::printAgent(const Agent &agent) {
  os << "\n" << static_cast<int>(agent.status) << agent.isMeeting;
  for (const Frame &frame : agent.frames) {
    os << ";" << machine.getNumber(frame.owner) << "n" << frame.iterations
       << "@" << (frame.next ? machine.getNumber(frame.next) : 0)
       << (frame.next ? "" : "t");
    if (auto loop = dyn_cast<scf::ForOp>(frame.owner)) {
      ScalarSum distance =
          atoms.expand(frame.index) - atoms.expand(frame.bound);
      if (auto place = findPlace(distance); place && !distance.isConstant())
        os << "f" << place->first << ":" << place->second;
      else
        print(distance);
    }
    // The values that the blocks of the loop carry.
    for (Region &region : frame.owner->getRegions())
      for (Value argument : region.getArguments()) {
        if (auto slot = agent.slots.find(argument); slot != agent.slots.end())
          os << "s" << slot->second.second - getTaken(slot->second.first);
        if (auto scalar = agent.scalars.find(argument);
            scalar != agent.scalars.end() &&
            !(isa<scf::ForOp>(frame.owner) &&
              cast<BlockArgument>(argument).getArgNumber() == 0))
          print(scalar->second);
      }
  }
  // The results of ops, in their order.
  SmallVector<std::pair<unsigned, Value>> results;
  for (auto &[value, slot] : agent.slots)
    if (Operation *op = value.getDefiningOp())
      if (slot.second >= getTaken(slot.first) - getSlots(slot.first))
        results.push_back({machine.getNumber(op), value});
  for (auto &[value, scalar] : agent.scalars)
    if (Operation *op = value.getDefiningOp())
      results.push_back({machine.getNumber(op), value});
  llvm::sort(results, [](auto &a, auto &b) {
    return std::pair(a.first, cast<OpResult>(a.second).getResultNumber()) <
           std::pair(b.first, cast<OpResult>(b.second).getResultNumber());
  });
  for (auto [op, value] : results) {
    os << "h" << op;
    if (auto slot = agent.slots.find(value); slot != agent.slots.end())
      os << ":" << slot->second.second - getTaken(slot->second.first);
    else
      print(agent.scalars.find(value)->second);
  }
}

void Naming::printTokens() {
  const Tokens &tokens = state.tokens;
  for (auto &[value, ring] : tokens.rings) {
    os << "\nr";
    for (auto &[agent, filler] : ring.fillers) {
      os << "\\" << filler.taken - ring.getTaken();
      for (int64_t slot : filler.open)
        os << " " << slot - ring.getTaken();
    }
    for (auto &[agent, user] : ring.users) {
      os << "/" << user.taken - ring.getTaken();
      for (int64_t slot : user.held)
        os << " " << slot - ring.getTaken();
    }
  }
  for (auto &[value, queue] : tokens.queues) {
    os << "\nq";
    int64_t size = queue.pushed.size(), first = size;
    for (auto &[agent, popped] : queue.popped) {
      os << " " << size - popped;
      first = std::min(first, popped);
    }
    for (int64_t entry = first; entry < size; ++entry)
      print(queue.pushed[entry]);
  }
  os << "\nt";
  for (int64_t turn : tokens.turns)
    os << " " << turn;
  for (int64_t turn : tokens.roleTurns)
    os << " " << turn;
  // Roles meet among themselves, each from its own count on.
  for (unsigned agent = 0; agent < tokens.meetings.size(); ++agent)
    os << " "
       << tokens.meetings[agent] - tokens.meetings[machine.getFirstPeer(agent)];
}

std::optional<std::string> Naming::describe(llvm::function_ref<void()> print) {
  size_t start = name.size();
  isOver = false;
  print();
  std::string text = name.substr(start);
  name.resize(start);
  if (isOver)
    return std::nullopt;
  return text;
}

void Naming::printFacts() {
  isOpen = false;
  SmallVector<std::string> texts;
  llvm::erase_if(state.facts, [&](const Fact &fact) {
    const Question &question = fact.question;
    auto text = describe([&] {
      os << "\nf" << fact.isTrue << question.isLess;
      auto place = question.isLess ? findPlace(question.value) : std::nullopt;
      bool isOfLoop = isa<scf::ForOp>(question.op);
      if (place && place->second >= families[place->first].least)
        os << "f" << place->first << ":" << place->second;
      else if (place || isOfLoop)
        isOver = true;
      else
        print(question.asked);
    });
    if (text)
      texts.push_back(*text);
    return !text;
  });
  llvm::sort(texts);
  texts.erase(llvm::unique(texts), texts.end());
  for (const std::string &text : texts)
    os << text;
}

std::string Naming::run() {
  collectFamilies();
  for (const Agent &agent : state.agents)
    printAgent(agent);
  printTokens();
  for (const Family &family : families) {
    os << "\nb";
    print(family.bound);
    print(family.step);
    // Loops with one bound whose indices are no steps apart.
    for (const Family &other : families)
      if (&other < &family && other.bound == family.bound)
        print(family.distance - other.distance);
  }
  printFacts();
  return name;
}

std::string sm::nameState(RoleInterpreter &machine, MachineState &state) {
  return Naming(machine, state).run();
}
