//===- Deadlock.cpp - Report of a deadlock --------------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reports a deadlock: no agent of the cluster can continue, and some warps have
// not ended. The error is at the first waiting warp. A note for each group of
// warps names their op, the state of its barrier, and the roles that could
// arrive. Consecutive warps that wait alike share a note.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

#include "mlir/IR/Diagnostics.h"

using namespace tessera;
using namespace tessera::sim;

/// Checks whether two warps wait alike, so that one note reports both.
static bool isAlike(const Warp &a, const Warp &b) {
  if (a.isFinished() || b.isFinished())
    return &a.getCta() == &b.getCta() && a.isFinished() && b.isFinished();
  return &a.getCta() == &b.getCta() && a.getOp() == b.getOp() &&
         a.getRole() == b.getRole() &&
         a.describeWaiting() == b.describeWaiting();
}

LogicalResult Cluster::reportDeadlock() {
  const Warp *waiting = nullptr;
  for (const Warp *warp : warps)
    if (!waiting && !warp->isFinished())
      waiting = warp;
  InFlightDiagnostic diagnostic = emitError(waiting->getOp()->getLoc())
                                  << "deadlock: no agent of " << str()
                                  << " can go on";
  for (size_t first = 0, end; first < warps.size(); first = end) {
    const Warp &warp = *warps[first];
    for (end = first + 1; end < warps.size(); ++end)
      if (!isAlike(warp, *warps[end]))
        break;
    bool isOne = end == first + 1;
    std::string who = warp.str();
    if (!isOne) {
      who = "warps " + std::to_string(warp.getNumber()) + " to " +
            std::to_string(warps[end - 1]->getNumber());
      if (sm::RoleOp role = warp.getRole())
        who += " (role '" + role.getName().str() + "')";
    }
    if (ctas.size() > 1)
      who += " of CTA " + std::to_string(warp.getCta().getNumber());
    if (warp.isFinished())
      diagnostic.attachNote(simulation.kernel.getLoc())
          << who << (isOne ? " has" : " have") << " reached the end";
    else
      diagnostic.attachNote(warp.getOp()->getLoc())
          << who << (isOne ? " waits for " : " wait for ")
          << warp.describeWaiting();
  }
  return diagnostic;
}
