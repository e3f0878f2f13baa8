//===- StagedLoads.cpp - Loads that another role can bring ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StagedLoads.h"

#include "tessera/Dialect/SM/IR/Plan.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace tessera;
using namespace tessera::sm;

/// The loop that `load` stands in, if it multiplies.
static scf::ForOp findProductLoop(LoadOp load) {
  auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
  if (!loop || loop.getBody()->getOps<MmaOp>().empty())
    return nullptr;
  return loop;
}

StringRef sm::getObstacle(LoadOp load) {
  if (!findProductLoop(load))
    return "it stands in no loop of products";
  if (load.getGlobalType().isWritable())
    return "the kernel writes this tensor";
  if (load.getFillAttr() && !isPositiveZero(load.getFillAttr()))
    return "what is not valid there is not zero";
  if (llvm::any_of(load.getIndices(), [](Value index) {
        return isa<RankedTensorType>(index.getType());
      }))
    return "it gathers";
  return "";
}

/// Moves `op`, and what it is computed from in its block, before `place`;
/// without doing anything if that is more than scalars.
static LogicalResult hoist(Operation *op, Operation *place) {
  llvm::SetVector<Operation *> slice;
  slice.insert(op);
  for (unsigned next = 0; next < slice.size(); ++next)
    for (Value operand : slice[next]->getOperands()) {
      Operation *definition = operand.getDefiningOp();
      if (!definition || definition->getBlock() != op->getBlock() ||
          definition->isBeforeInBlock(place))
        continue;
      if (definition->getNumRegions() != 0 || !isMemoryEffectFree(definition) ||
          definition == place || !operand.getType().isIntOrIndexOrFloat())
        return failure();
      slice.insert(definition);
    }
  SmallVector<Operation *> order(slice.begin(), slice.end());
  llvm::sort(order,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *moved : order)
    moved->moveBefore(place);
  return success();
}

/// The first op of a loop body that is more than the arithmetic of scalars.
static Operation *getPlace(scf::ForOp loop) {
  for (Operation &op : *loop.getBody())
    if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op) ||
        !llvm::all_of(op.getResultTypes(),
                      [](Type type) { return type.isIntOrIndexOrFloat(); }))
      return &op;
  return loop.getBody()->getTerminator();
}

void StagedLoads::stage(LoadOp load, Operation *place) {
  OpBuilder builder(load);
  RankedTensorType type = cast<RankedTensorType>(load.getType());
  auto fetch = FetchOp::create(
      builder, load.getLoc(), getStagedType(type), load.getGlobal(),
      load.getIndices(), load.getLimits(), load.getMask(), load.getDimsAttr(),
      load.getInBoundsAttr(), /*address=*/IntegerAttr());
  if (Attribute name = load->getAttr(kChannelAttrName))
    fetch->setAttr(kChannelAttrName, name);
  // Where its position is computed late, it stays where it is.
  (void)hoist(fetch, place);
  auto read = ReadOp::create(builder, load.getLoc(), type, fetch);
  load.getResult().replaceAllUsesWith(read);
  loads[fetch] = {load, read};
}

SmallVector<LoadOp> sm::findStageableLoads(KernelOp kernel, RefuseLoad refuse) {
  SmallVector<LoadOp> found;
  kernel.walk([&](LoadOp load) {
    if (!isa<RankedTensorType>(load.getType()) || !findProductLoop(load))
      return;
    if (StringRef obstacle = getObstacle(load); !obstacle.empty())
      return refuse(load, obstacle);
    found.push_back(load);
  });
  return found;
}

StagedLoads::StagedLoads(ArrayRef<LoadOp> found) {
  llvm::DenseMap<Operation *, Operation *> places;
  for (LoadOp load : found) {
    scf::ForOp loop = findProductLoop(load);
    auto [place, isNew] = places.try_emplace(loop);
    if (isNew)
      place->second = getPlace(loop);
    stage(load, place->second);
  }
}

SmallVector<FetchOp> StagedLoads::getFetches() const {
  return llvm::map_to_vector(
      loads, [](const auto &entry) { return cast<FetchOp>(entry.first); });
}

void StagedLoads::revert(FetchOp fetch) {
  Staged staged = loads.lookup(fetch);
  staged.read.replaceAllUsesWith(staged.load.getResult());
  staged.read.erase();
  loads.erase(fetch);
  fetch.erase();
}

void StagedLoads::commit() {
  for (auto &[fetch, staged] : loads)
    staged.load.erase();
  loads.clear();
}

//===----------------------------------------------------------------------===//
// What arrives from another role
//===----------------------------------------------------------------------===//

SmallVector<Value> sm::getPositions(const RingFetch &fetch) {
  FetchOp op = fetch.op;
  SmallVector<Value> values(op.getIndices());
  if (!fetch.isByThreads)
    return values;
  llvm::append_range(values, op.getLimits());
  if (op.getMask())
    values.push_back(op.getMask());
  return values;
}

/// The same for threads.
static FailureOr<RingFetch> matchRow(FetchOp fetch, std::string &why) {
  SmemType tile = fetch.getType();
  auto refuse = [&](const Twine &reason) {
    why = reason.str();
    return failure();
  };
  if (fetch.getGlobalType().isWritable())
    return refuse("the kernel writes this tensor");
  if (tile.getRank() != 1)
    return refuse("threads of another role bring rows and no other tiles");
  if (tile.getBytes() % tile.getAlignment() != 0)
    return refuse("stages of " + Twine(tile.getBytes()) +
                  " bytes do not begin at multiples of " +
                  Twine(tile.getAlignment()) + " bytes");
  return RingFetch{fetch, {}, {}, /*isByThreads=*/true};
}

FailureOr<RingFetch> sm::matchFetch(FetchOp fetch, bool isByThreads,
                                    const IsGiven &isGiven, std::string &why) {
  FailureOr<RingFetch> result =
      isByThreads ? matchRow(fetch, why) : matchTmaFetch(fetch, why);
  ScalarSlice slice(isGiven);
  if (failed(result) || !findLastUse(fetch, why) ||
      failed(slice.add(fetch, getPositions(*result), why)))
    return failure();
  return result;
}
