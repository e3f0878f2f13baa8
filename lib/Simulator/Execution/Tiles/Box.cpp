//===- Box.cpp - A box of a global tensor -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses to a box of a global tensor. `get` computes the offsets for each
// dimension of the tile, with marks for positions that are out of bounds or
// unknown to the warp. The offset of an element is the sum over its dimensions.
//
// An access is recorded in two histories: that of the tensor, for conflicts
// with other clusters, and that of the cluster, by clocks. A write of the
// present value is recorded separately, since it does not conflict.
//
//===----------------------------------------------------------------------===//

#include "Box.h"

#include <limits>

using namespace tessera;
using namespace tessera::sim;
using interp::GlobalTensor;
using interp::Tile;

FailureOr<Box> Box::get(Operation *op, const BoxOperands &operands,
                        ArrayRef<int64_t> shape, Warp &warp, Clip clip,
                        ArrayRef<int64_t> shift) {
  Box box;
  box.tensor = &warp.getTensor(operands.global);
  ArrayRef<int64_t> sizes = box.tensor->getShape();
  ArrayRef<int64_t> strides = box.tensor->getStrides();
  bool isMasked = operands.mask && !warp.getInteger(operands.mask);
  if (isMasked)
    box.base = outside;
  bool isEmpty = isMasked;
  std::string wrong;
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    const auto *walked = llvm::find(operands.dims, int64_t(dim));
    Value index = operands.indices[dim];
    if (walked == operands.dims.end()) {
      auto position = static_cast<int32_t>(warp.getInteger(index));
      if (position >= 0 && position < sizes[dim]) {
        if (box.base != outside)
          box.base += position * strides[dim];
        continue;
      }
      box.base = outside;
      if (clip == Clip::ByLimits)
        wrong = "index " + std::to_string(position) + " of dimension " +
                std::to_string(dim) + " of '" + box.tensor->getName().str() +
                "' is outside of the tensor, whose size is " +
                std::to_string(sizes[dim]);
      continue;
    }
    size_t i = walked - operands.dims.begin();
    int64_t limit = clip == Clip::BySizes ? sizes[dim]
                                          : warp.getInteger(operands.limits[i]);
    if (clip == Clip::ByBoth)
      limit = std::clamp<int64_t>(limit, 0, sizes[dim]);
    tile::IndexAxes axes = operands.axes[i];
    int64_t extent = 1;
    for (int64_t along : shape.slice(axes.first, axes.rank))
      extent *= along;
    std::vector<int64_t> offsets;
    offsets.reserve(extent);
    bool hasValid = false;
    auto add = [&](int64_t position) -> LogicalResult {
      // Machine code compares in 32 bits, unsigned. A tensor copy respects the
      // sign.
      position = static_cast<int32_t>(position);
      bool isValid =
          static_cast<uint32_t>(position) < static_cast<uint32_t>(limit) &&
          (clip == Clip::ByLimits || position >= 0);
      offsets.push_back(isValid ? position * strides[dim] : outside);
      hasValid |= isValid;
      if (isMasked)
        return success();
      if (isValid && (position < 0 || position >= sizes[dim]))
        return warp.report(
            op, "position " + Twine(position) + " of dimension " + Twine(dim) +
                    " of '" + box.tensor->getName() + "' is below the limit " +
                    Twine(limit) + ", but the size is " + Twine(sizes[dim]));
      if (!isValid && operands.inBounds[i])
        return warp.report(
            op, "access is marked in bounds, but index " + Twine(position) +
                    " of dimension " + Twine(dim) + " of '" +
                    box.tensor->getName() + "' is not (size " +
                    Twine(sizes[dim]) + ", limit " + Twine(limit) + ")");
      return success();
    };
    if (isa<RankedTensorType>(index.getType())) {
      // A warp only knows the positions that it holds.
      ArrayRef<int64_t> positions = warp.getTile(index).integers();
      const Fragment &fragment = warp.getFragment(index.getType());
      for (int64_t e = 0; e < extent; ++e) {
        if (fragment.places[e] < 0)
          offsets.push_back(unknown);
        else if (failed(add(positions[fragment.places[e]])))
          return failure();
      }
    } else {
      int64_t start =
          warp.getInteger(index) + (shift.empty() ? 0 : shift[axes.first]);
      for (int64_t e = 0; e < extent; ++e)
        if (failed(add(start + e)))
          return failure();
    }
    isEmpty |= !hasValid;
    box.add(axes.first, std::move(offsets));
  }
  if (!wrong.empty() && !isEmpty)
    return warp.report(op, wrong);
  return box;
}

void Box::add(int64_t firstAxis, std::vector<int64_t> offsets) {
  auto *paired = llvm::find_if(
      parts, [&](const Part &part) { return part.firstAxis == firstAxis; });
  if (paired == parts.end()) {
    parts.push_back({firstAxis, std::move(offsets)});
    return;
  }
  for (auto [sum, offset] : llvm::zip_equal(paired->offsets, offsets)) {
    if (sum == unknown || offset == unknown)
      sum = unknown;
    else if (sum == outside || offset == outside)
      sum = outside;
    else
      sum += offset;
  }
}

int64_t Box::getOffset(int64_t element) const {
  int64_t offset = base;
  if (offset == outside)
    return outside;
  for (const Part &part : llvm::reverse(parts)) {
    int64_t extent = part.offsets.size();
    int64_t along = part.offsets[element % extent];
    if (along == outside || along == unknown)
      return along;
    offset += along;
    element /= extent;
  }
  return offset;
}

LogicalResult Box::issue(Operation *op, Warp &warp, ArrayRef<int32_t> elements,
                         uint32_t number, std::optional<Write> write) {
  issued = number;
  if (!tensor->isWritable())
    return success();
  SmallVector<int64_t> offsets;
  for (int32_t element : elements)
    if (int64_t offset = getOffset(element);
        offset != outside && offset != unknown)
      offsets.push_back(offset);
  Access access{op, Moment::async(number), Proxy::Async, write.has_value(),
                write == Write::Atomic};
  return warp.getCta().getCluster().record(warp, *tensor, access, offsets);
}

LogicalResult Box::read(Operation *op, Warp &warp, ArrayRef<int32_t> elements,
                        Tile &values) const {
  Cluster &cluster = warp.getCta().getCluster();
  interp::AccessStamp stamp = cluster.beginAccess(warp, getMoment(warp));
  std::optional<interp::Conflict> conflict;
  int64_t where = 0;
  bool isKnown = true;
  SmallVector<int64_t> touched;
  auto readAll = [&](auto memory, auto out) {
    bool isWritable = tensor->isWritable();
    for (auto [i, element] : llvm::enumerate(elements)) {
      int64_t offset = getOffset(element);
      isKnown &= offset != unknown;
      if (offset == outside || offset == unknown)
        continue;
      out[i] = memory[offset];
      if (!isWritable)
        continue;
      touched.push_back(offset);
      if (!conflict) {
        where = offset;
        conflict = tensor->recordRead(offset, stamp);
      }
    }
  };
  interp::visitNumbers(values.getType(), [&](auto number) {
    using T = decltype(number);
    readAll(tensor->getMemory().get<T>(), values.getMutable<T>());
  });
  if (!isKnown)
    return warp.reportNotHeld(op);
  if (conflict)
    return cluster.report(op, warp, *tensor, where, *conflict);
  if (issued)
    return success();
  Access access{op, warp.now(), Proxy::Generic, /*isWrite=*/false};
  return cluster.record(warp, *tensor, access, touched);
}

LogicalResult Box::write(Operation *op, Warp &warp, ArrayRef<int32_t> elements,
                         const Tile &values,
                         std::optional<Replacement> replacement,
                         function_ref<bool(size_t)> applies) const {
  Cluster &cluster = warp.getCta().getCluster();
  interp::AccessStamp stamp = cluster.beginAccess(warp, getMoment(warp));
  std::optional<interp::Conflict> conflict;
  int64_t where = 0;
  bool isKnown = true, changesMemory = false;
  // Separate the elements that already have the value from those that change.
  SmallVector<int64_t> changed, same;
  // Whether an atomic operation has changed the value, by element of `changed`.
  SmallVector<bool> changesValue;
  auto writeAll = [&](auto from) {
    using T = typename decltype(from)::value_type;
    for (auto [i, element] : llvm::enumerate(elements)) {
      int64_t offset = getOffset(element);
      isKnown &= offset != unknown;
      if (offset == outside || offset == unknown || !applies(i) || conflict)
        continue;
      where = offset;
      bool isSame = !replacement && tensor->holds<T>(offset, from[i]);
      (isSame ? same : changed).push_back(offset);
      T before = tensor->getMemory().get<T>()[offset];
      if (!replacement) {
        conflict = tensor->store<T>(offset, from[i], stamp);
        changesMemory |= !isSame;
        continue;
      }
      const Tile *expected = replacement->expected;
      conflict = tensor->replace<T>(
          replacement->kind, offset, from[i],
          expected ? expected->get<T>()[i] : from[i], stamp,
          replacement->old ? &replacement->old->getMutable<T>()[i] : nullptr);
      changesValue.push_back(!tensor->holds<T>(offset, before));
      changesMemory |= changesValue.back();
    }
  };
  interp::visitNumbers(values.getType(), [&](auto number) {
    writeAll(values.get<decltype(number)>());
  });
  cluster.getSimulation().changes += changesMemory;
  if (!isKnown)
    return warp.reportNotHeld(op);
  if (conflict)
    return cluster.report(op, warp, *tensor, where, *conflict);
  if (issued)
    return success();
  Access access{op, warp.now(), Proxy::Generic, /*isWrite=*/true,
                /*isAtomic=*/replacement.has_value()};
  if (failed(cluster.record(warp, *tensor, access, same,
                            /*changesNothing=*/true)) ||
      failed(cluster.record(warp, *tensor, access, changed)))
    return failure();
  if (replacement && replacement->order != tile::AtomicOrder::Relaxed)
    for (auto [offset, changes] : llvm::zip_equal(changed, changesValue))
      cluster.synchronize(warp, *tensor, offset, replacement->order, changes);
  return success();
}

void sim::fillWith(Tile &values, TypedAttr fill) {
  if (!fill)
    return;
  if (values.isFloat())
    values.fill(Tile::getFloat(values.getType(),
                               cast<FloatAttr>(fill).getValueAsDouble()));
  else
    llvm::fill(values.mutableIntegers(),
               interp::wrap(values.getType(),
                            cast<IntegerAttr>(fill).getValue().getSExtValue()));
  values.normalize();
}
