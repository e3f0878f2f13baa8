//===- SplitLoop.h - A loop with split MMAs ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_SPLITLOOP_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_SPLITLOOP_H

#include "DependenceGraph.h"
#include "tessera/Support/Reason.h"

namespace tessera::sm {

/// Splits an MMA into its issue and its await, which is returned.
MmaAwaitOp splitProduct(MmaOp product);

/// Returns the await of an MMA of a `SplitLoop`.
MmaAwaitOp getAwait(MmaIssueOp issue);

/// A loop of a role whose MMAs are split into issue and await. A strategy may
/// rewrite the loop before it is scheduled.
struct SplitLoop {
  /// Splits the MMAs in the body of `loop`.
  explicit SplitLoop(scf::ForOp loop);

  /// Returns the dependences of the loop as it is now; or why its order cannot
  /// be changed.
  OrReason<DependenceGraph> getGraph() const;

  /// Lets `products` complete one iteration late: a retire after the last of
  /// them, which is returned, awaits those of the iteration before, and the
  /// awaits come after the loop. Fails if the iteration uses a result.
  OrReason<MmaRetireOp> retireLate(ArrayRef<MmaIssueOp> products);

  scf::ForOp loop;
  SmallVector<MmaIssueOp> products;
};

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_SPLITLOOP_H
