//===- SharedMemoryMap.cpp - Buffers over addresses and lines ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Draws live ranges: buffers over addresses and over lines of the listing. The
// live ranges come from a repeated run of the memory plan; addresses come from
// the ops.
//
//===----------------------------------------------------------------------===//

#include "SharedMemoryMap.h"

#include "tessera/Dialect/SM/Transforms/SharedMemoryAllocation.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SetVector.h"

using namespace tessera;
using namespace tessera::tools;
using namespace tessera::sm;

/// Returns the places of the ops that write to `buffer` or to a slot of it.
static SmallVector<unsigned> findWriters(Operation *buffer,
                                         PlaceTable &places) {
  llvm::SmallSetVector<unsigned, 4> found;
  SmallVector<Value> tiles(buffer->getResults());
  for (size_t next = 0; next < tiles.size(); ++next)
    for (Operation *user : tiles[next].getUsers()) {
      if (auto at = dyn_cast<SlotsAtOp>(user))
        tiles.push_back(at.getResult());
      auto access = dyn_cast<SharedAccessOpInterface>(user);
      if (!access)
        continue;
      for (const SharedUse &use : access.getSharedUses())
        if (use.tile == tiles[next] && (use.kind == AccessKind::Write ||
                                        use.kind == AccessKind::AsyncWrite))
          for (unsigned place : places.getNumbers(user))
            found.insert(place);
    }
  return found.takeVector();
}

SharedMemoryMap::SharedMemoryMap(KernelOp kernel, const Listing &listing,
                                 PlaceTable &places)
    : name(kernel.getSymName().str()),
      bytes(kernel.getSharedMemory().value_or(0)) {
  auto getLines = [&](Operation *op) {
    auto [first, last] = listing.getLines(op);
    return Lines{first, last};
  };
  lines = getLines(kernel);
  for (auto role : kernel.getBody().getOps<RoleOp>())
    roles.push_back({role.getName().str(), getLines(role)});

  // The plan is computed again for live ranges; addresses are those of the ops.
  ScopedDiagnosticHandler quiet(kernel.getContext(),
                                [](Diagnostic &) { return success(); });
  SharedMemoryAllocation allocation(kernel);
  if (failed(allocation.findLives()))
    return;
  std::map<int64_t, unsigned> lineAt;
  kernel->walk([&](Operation *op) {
    LifeInterval time = allocation.getTime(op);
    lineAt[time.first] = listing.getLines(op).first;
    lineAt[time.last] = listing.getLines(op).second;
  });
  for (const SharedBuffer &buffer : allocation.buffers) {
    auto memory = cast<SharedMemoryOpInterface>(buffer.op);
    std::optional<int64_t> address = memory.getSharedAddress();
    if (!address)
      continue;
    auto role = dyn_cast_or_null<RoleOp>(buffer.agent);
    buffers.push_back(
        {buffer.what, buffer.op->getName().getStringRef().str(),
         role ? role.getName().str() : "", *address, buffer.bytes,
         listing.getLines(buffer.op).first,
         Lines{lineAt[buffer.alive.first], lineAt[buffer.alive.last]},
         places.getNumbers(buffer.op), findWriters(buffer.op, places)});
  }
}

void SharedMemoryMap::write(llvm::json::OStream &json) const {
  auto writeLines = [&](StringRef name, const Lines &lines) {
    json.attributeArray(name, [&] {
      json.value(lines.first);
      json.value(lines.last);
    });
  };
  auto writePlaces = [&](StringRef name, ArrayRef<unsigned> places) {
    json.attributeArray(name, [&] {
      for (unsigned place : places)
        json.value(place);
    });
  };
  json.object([&] {
    json.attribute("kernel", name);
    json.attribute("bytes", bytes);
    writeLines("lines", lines);
    json.attributeArray("roles", [&] {
      for (const Role &role : roles)
        json.object([&] {
          json.attribute("name", role.name);
          writeLines("lines", role.lines);
        });
    });
    json.attributeArray("buffers", [&] {
      for (const Buffer &buffer : buffers)
        json.object([&] {
          json.attribute("what", buffer.what);
          json.attribute("op", buffer.op);
          json.attribute("role", buffer.role);
          json.attribute("address", buffer.address);
          json.attribute("bytes", buffer.bytes);
          json.attribute("line", buffer.line);
          writeLines("alive", buffer.alive);
          writePlaces("places", buffer.places);
          writePlaces("writers", buffer.writers);
        });
    });
  });
}
