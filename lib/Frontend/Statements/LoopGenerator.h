//===- LoopGenerator.h - `for` over tiles and integers ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_LOOPGENERATOR_H
#define TESSERA_FRONTEND_LOOPGENERATOR_H

#include "Expressions/Conversions.h"
#include "TreeWalk.h"

namespace tessera::frontend {

class LoopGenerator : KernelPart {
public:
  LoopGenerator(KernelContext &context, TreeWalk &walk, EntryValues &values,
                Conversions &conversions)
      : KernelPart(context), walk(walk), values(values),
        conversions(conversions) {}

  void genFor(const ForStmt &stmt);

private:
  struct LoopDomain {
    Value lower, upper;
    int64_t step = 1;
    /// The type of the loop variable, a range; null in `range(…)`.
    tile::RangeType rangeType;
    Value limit;
  };
  void genLoop(const ForStmt &stmt);
  // These functions return false after an error.
  bool genLoopDomain(const ForStmt &stmt, LoopDomain &domain);
  bool genTilesDomain(const CallExpr &call, LoopDomain &domain);
  bool genRangeDomain(const CallExpr &call, LoopDomain &domain);
  bool genEndless(const ForStmt &stmt, LoopDomain &domain);
  bool genPart(const Argument &part, LoopDomain &domain);

  /// Reports a loop without a domain that nothing ends, and warns of one whose
  /// condition never changes. `yields` are the values of `vars` at the end of
  /// the body.
  bool checkEnd(const ForStmt &stmt, ArrayRef<Symbol *> vars,
                ArrayRef<Value> yields, Block &body);

  /// Clips the end of a loop over tiles to positions of 32 bits.
  Value genLoopEnd(Value limit, int64_t extent, SourcePlace place);
  /// Restricts the bounds to part `part` of `parts` of the tiles.
  void restrictToPart(LoopDomain &domain, Value part, Value parts,
                      SourcePlace place);

  TreeWalk &walk;
  EntryValues &values;
  Conversions &conversions;
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_LOOPGENERATOR_H
