//===- Clauses.h - Grid, schedule and numerics ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_CLAUSES_H
#define TESSERA_FRONTEND_CLAUSES_H

#include "SizeExpressions.h"

namespace tessera::frontend {

/// The transformations of formulas that the clause `numerics` allows.
struct KernelNumerics {
  bool contract = true;
  bool foldExp2 = true;
  bool lazyRescale = true;
};

class Clauses : KernelPart {
public:
  Clauses(KernelContext &context, TreeWalk &walk, SizeExpressions &sizes)
      : KernelPart(context), walk(walk), sizes(sizes) {}

  /// Appends the axes of the grid. Returns false after an error.
  bool evaluateGrid(SmallVectorImpl<Attribute> &axes);
  /// Returns the hints of the kernel; null if there are none, or after an
  /// error.
  tile::ScheduleAttr evaluateSchedule();
  KernelNumerics evaluateNumerics();

private:
  TreeWalk &walk;
  SizeExpressions &sizes;
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_CLAUSES_H
