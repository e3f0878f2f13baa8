//===- Breaks.cpp - Loops that end early ------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predication in the syntax tree: `break` sets a `var` to false, and what
// follows in the body is inside of an `if` on this `var`, as is the body
// itself.
//
//   for i in d {                 var runs = true;
//     a;                         for i in d {
//     if c { b; break; }   →       if runs {
//     e;                             a;
//   }                                if c { b; runs = false; }
//                                    if runs { e; }
//                                  }
//                                }
//
// A condition of a loop is `if c { … } else { break; }` around its body.
//
// So a loop keeps its number of iterations, and each pass that knows loops and
// branches knows `break`.
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

using namespace tessera::frontend;

/// Returns a use of the `var` at a place.
static NameExpr *makeName(Program &program, SourcePlace place,
                          llvm::StringRef runs) {
  auto *name = program.create<NameExpr>(place);
  name->name = runs;
  return name;
}

bool Parser::lowerBreaks(StmtList &statements, llvm::StringRef runs) {
  for (size_t i = 0; i < statements.size(); ++i) {
    Stmt *stmt = statements[i];
    bool breaks = false;
    if (llvm::isa<BreakStmt>(stmt)) {
      if (i + 1 != statements.size()) {
        error(statements[i + 1]->place)
            << "no statement after `break;` in a block is ever executed";
        statements.resize(i + 1);
      }
      auto *assign = program.create<AssignStmt>(stmt->place);
      assign->target = makeName(program, stmt->place, runs);
      assign->value = program.create<BoolExpr>(stmt->place);
      statements[i] = assign;
      return true;
    }
    if (auto *branch = llvm::dyn_cast<IfStmt>(stmt)) {
      breaks |= lowerBreaks(branch->thenBody, runs);
      breaks |= lowerBreaks(branch->elseBody, runs);
    }
    if (!breaks)
      continue;
    if (i + 1 != statements.size()) {
      auto *rest = program.create<IfStmt>(statements[i + 1]->place);
      rest->condition = makeName(program, rest->place, runs);
      rest->thenBody.assign(statements.begin() + i + 1, statements.end());
      statements.resize(i + 1);
      statements.push_back(rest);
      lowerBreaks(rest->thenBody, runs);
    }
    return true;
  }
  return false;
}

void Parser::lowerBreaks(ForStmt &loop) {
  loop.runs = "loop " + std::to_string(loops++) + " goes on";
  if (!lowerBreaks(loop.body, loop.runs)) {
    loop.runs.clear();
    return;
  }
  auto *whole = program.create<IfStmt>(loop.place);
  whole->condition = makeName(program, loop.place, loop.runs);
  whole->thenBody = std::move(loop.body);
  loop.body = {whole};
}
