//===- ControlFlow.cpp - Reconvergence of a warp's threads ----------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes the point of reconvergence of each divergent branch: its immediate
// post-dominator. The method is "A Simple, Fast Dominance Algorithm" (Cooper,
// Harvey and Kennedy) on the reversed graph, whose entry is the end of the
// kernel. It iterates over the blocks in reverse postorder, and intersects the
// post-dominators of their successors, until nothing changes.
//
// A block that cannot reach the end (an infinite loop) has no post-dominator;
// threads that enter it never reconverge with others.
//
//===----------------------------------------------------------------------===//

#include "tessera/Emulator/ControlFlow.h"

using namespace tessera::emu;
namespace emu = tessera::emu;

namespace {

/// Blocks are numbered in the order of the text. One more block, without
/// instructions, is the end.
class PostDominators {
public:
  explicit PostDominators(const Kernel &kernel);

  /// Returns the first instruction of the block that immediately post-dominates
  /// the block of this branch.
  unsigned getMeetingPoint(unsigned branch) const;

private:
  void findBlocks();
  void connect();
  void addEdge(unsigned from, unsigned place);
  void orderBlocks();
  void solve();
  unsigned intersect(unsigned a, unsigned b) const;
  unsigned getEnd() const { return starts.size(); }

  static constexpr unsigned kNone = ~0u;

  const Kernel &kernel;
  /// The first instruction of each block, and the block of each instruction.
  std::vector<unsigned> starts, blockOf;
  std::vector<SmallVector<unsigned, 2>> successors, predecessors;
  /// Blocks that can reach the end, in reverse postorder of the reversed graph,
  /// and their ranks in this order. The end is the first.
  std::vector<unsigned> order, rank;
  /// The immediate post-dominator of each block; kNone if it cannot reach the
  /// end.
  std::vector<unsigned> immediate;
};

/// Checks whether threads end at this instruction.
bool endsThread(const Instruction &instruction) {
  StringRef root = instruction.getRoot();
  return root == "ret" || root == "exit" || root == "trap";
}

bool isBranch(const Instruction &instruction) {
  return instruction.getRoot() == "bra" || instruction.getRoot() == "brx";
}

} // namespace

PostDominators::PostDominators(const Kernel &kernel) : kernel(kernel) {
  findBlocks();
  connect();
  orderBlocks();
  solve();
}

void PostDominators::findBlocks() {
  unsigned count = kernel.body.size();
  std::vector<bool> isStart(count + 1, false);
  isStart[0] = true;
  for (unsigned i = 0; i < count; ++i) {
    if (!isBranch(*kernel.body[i]) && !endsThread(*kernel.body[i]))
      continue;
    isStart[i + 1] = true;
    for (unsigned target : kernel.targets[i])
      isStart[target] = true;
  }
  blockOf.resize(count + 1);
  for (unsigned i = 0; i < count; ++i) {
    if (isStart[i])
      starts.push_back(i);
    blockOf[i] = starts.size() - 1;
  }
  // The end: a label after the last instruction, or the instruction runs past
  // it.
  blockOf[count] = getEnd();
}

void PostDominators::addEdge(unsigned from, unsigned place) {
  unsigned to = blockOf[place];
  if (llvm::is_contained(successors[from], to))
    return;
  successors[from].push_back(to);
  predecessors[to].push_back(from);
}

void PostDominators::connect() {
  unsigned count = kernel.body.size();
  successors.resize(getEnd() + 1);
  predecessors.resize(getEnd() + 1);
  for (unsigned block = 0; block < getEnd(); ++block) {
    unsigned after = block + 1 < getEnd() ? starts[block + 1] : count;
    const Instruction &last = *kernel.body[after - 1];
    if (isBranch(last))
      for (unsigned target : kernel.targets[after - 1])
        addEdge(block, target);
    else if (endsThread(last))
      addEdge(block, count);
    if (last.guard || (!isBranch(last) && !endsThread(last)))
      addEdge(block, after);
  }
}

/// Computes the reverse postorder of the reversed graph.
void PostDominators::orderBlocks() {
  std::vector<bool> isSeen(getEnd() + 1, false);
  // Blocks, and the number of their visited predecessors.
  std::vector<std::pair<unsigned, unsigned>> path = {{getEnd(), 0}};
  isSeen[getEnd()] = true;
  while (!path.empty()) {
    auto &[block, visited] = path.back();
    if (visited == predecessors[block].size()) {
      order.push_back(block);
      path.pop_back();
      continue;
    }
    unsigned next = predecessors[block][visited++];
    if (isSeen[next])
      continue;
    isSeen[next] = true;
    path.push_back({next, 0});
  }
  std::reverse(order.begin(), order.end());
  rank.assign(getEnd() + 1, kNone);
  for (unsigned i = 0; i < order.size(); ++i)
    rank[order[i]] = i;
}

unsigned PostDominators::intersect(unsigned a, unsigned b) const {
  while (a != b) {
    while (rank[a] > rank[b])
      a = immediate[a];
    while (rank[b] > rank[a])
      b = immediate[b];
  }
  return a;
}

void PostDominators::solve() {
  immediate.assign(getEnd() + 1, kNone);
  immediate[getEnd()] = getEnd();
  for (bool hasChanged = true; hasChanged;) {
    hasChanged = false;
    for (unsigned block : llvm::drop_begin(order)) {
      unsigned common = kNone;
      for (unsigned successor : successors[block]) {
        // Threads that take this edge never reach the end, so they reconverge
        // nowhere.
        if (rank[successor] == kNone)
          common = getEnd();
        else if (immediate[successor] == kNone)
          continue;
        else
          common = common == kNone ? successor : intersect(common, successor);
      }
      if (common == immediate[block])
        continue;
      immediate[block] = common;
      hasChanged = true;
    }
  }
}

unsigned PostDominators::getMeetingPoint(unsigned branch) const {
  unsigned meeting = immediate[blockOf[branch]];
  return meeting == kNone || meeting == getEnd() ? kNowhere : starts[meeting];
}

std::vector<unsigned> emu::findReconvergence(const Kernel &kernel) {
  std::vector<unsigned> result(kernel.body.size(), kNowhere);
  if (result.empty())
    return result;
  PostDominators dominators(kernel);
  for (unsigned i = 0; i < result.size(); ++i) {
    const Instruction &instruction = *kernel.body[i];
    bool isIndexed = instruction.getRoot() == "brx";
    if (isBranch(instruction) && (instruction.guard || isIndexed))
      result[i] = dominators.getMeetingPoint(i);
  }
  return result;
}
