//===- ForeignSyntax.cpp - Syntax of Python and C ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Syntax of Python and C that stops the parser before a name is looked up. The
// words are names in this language, so they are checked only after an error.
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"

#include "llvm/ADT/StringSwitch.h"

using namespace tessera::frontend;
using llvm::StringRef;

ForeignOperator tessera::frontend::findForeignOperator(StringRef text) {
  static const ForeignOperator operators[] = {
      {">>=", "write `x = x >> y`"},
      {"<<=", "write `x = x << y`"},
      {"**=", "a power is written `pow(x, y)`, or as products"},
      {"...", "an index is given for each dimension; `:` keeps a whole one"},
      {"===", "equality is written `==`"},
      {"**", "a power is written `pow(x, y)`, or as products"},
      {"++", "a step is written `x += 1`"},
      {"->",
       "the type of a fn is that of its `return` value, and the results of a "
       "kernel are parameters, as in `out y: f32[N]`"},
      {"=>", "at least is written `>=`; a function has a name: write `fn f(a, "
             "b) { return a + b; }` outside of kernels, and pass `f`"},
      {"::", "functions have no scopes, and indices no steps; write `exp(x)`, "
             "and `tiles(…)` for a part of a dimension"},
      {":=", "`let x = e;` names a value"},
      {"%=", "write `x = x % y`"},
      {"@=", "write `x = x @ y`"},
      {"&=", "write `x = x & y`"},
      {"|=", "write `x = x | y`"},
      {"^=", "write `x = x ^ y`"},
      {"'-inf'", "minus infinity is written `-inf`"},
      {"'inf'", "infinity is written `inf`"},
      {"'nan'", "NaN is written `nan`"},
      {"'", "a string is written in `\"`, after `assert` and `check`, and in "
            "`asm(…)` and `print(…)`"},
      {"#include",
       "a fn of another file is used by `use \"file.tile\" (name);`"},
      {"#define", "constants are compile-time parameters, in `<…>` after the "
                  "name of a kernel, or values of `let`"},
      {"#pragma", "a hint is an entry of the clause `schedule (…)`"},
      {"#", "a comment begins with `//`"},
      {"-- ", "a comment begins with `//`"},
      {"--- ", "a comment begins with `//`"},
      {"/*", "a comment begins with `//`, on each of its lines"},
      {"\\", "a statement goes on in the next line by itself, up to its `;`"},
  };
  for (const ForeignOperator &candidate : operators)
    if (text.starts_with(candidate.spelling))
      return candidate;
  return {};
}

StringRef tessera::frontend::findForeignStatement(StringRef word) {
  return llvm::StringSwitch<StringRef>(word)
      .Cases({"while", "do", "loop", "until"},
             "loops are `while c { … }`, `for i in range(low, high) { … }` and "
             "`for m in tiles(n, B) { … }`")
      .Cases({"continue"}, "put the rest of the body under an `if`")
      .Cases({"switch", "match", "case"},
             "cases are written `if … { … } else if … { … } else { … }`")
      .Cases({"elif", "elseif"}, "it is written `else if`")
      .Cases({"pass"}, "an empty block is `{ }`")
      .Cases({"def", "lambda", "func", "function"},
             "a function is written `fn f(x) { return x; }`, outside of "
             "kernels")
      .Cases({"import", "from", "using", "include", "use"},
             "`use \"file.tile\" (name);` at the top of a file makes a fn of "
             "another file visible")
      .Cases({"const", "auto", "mut", "static", "register", "volatile"},
             "`let x = e;` names a value, and `var x = e;` one that changes")
      .Cases(
          {"try", "raise", "throw", "goto", "with", "yield", "del", "global"},
          "control flow is `for` and `if`")
      .Cases({"__shared__", "shared", "__global__", "__device__",
              "__constant__", "extern"},
             "the compiler chooses where values lie; `kernel` and `fn` "
             "declare, `let` and `var` name values")
      .Default("");
}

StringRef tessera::frontend::findForeignDeclaration(StringRef word) {
  if (word == "@")
    return "there are no decorators; a kernel is written `kernel k(x: f32[N]) "
           "grid (n in tiles(N, 64)) { … }`";
  for (llvm::StringRef known : {"kernel", "fn", "use"})
    if (word.equals_insensitive(known))
      return known == "kernel" ? "it is written `kernel`"
             : known == "fn"   ? "it is written `fn`"
                               : "it is written `use`";
  if (word == ";")
    return "a kernel ends with `}`, and a comment begins with `//`";
  if (llvm::StringSwitch<bool>(word)
          .Cases(
              {"def", "void", "__global__", "__device__", "func", "function"},
              true)
          .Default(false))
    return "a kernel is written `kernel k(x: f32[N]) grid (n in tiles(N, 64)) "
           "{ … }`, a function `fn f(x) { … }`";
  if (llvm::StringSwitch<bool>(word)
          .Cases({"import", "from", "using", "include"}, true)
          .Default(false))
    return "a fn of another file is used by `use \"file.tile\" (name);`";
  if (llvm::StringSwitch<bool>(word)
          .Cases({"const", "constexpr", "static", "let", "var", "auto",
                  "struct", "class", "enum", "typedef"},
                 true)
          .Default(false))
    return "a file holds kernels and fns; constants are compile-time "
           "parameters, in `<…>` after the name of a kernel";
  return "";
}

StringRef tessera::frontend::findForeignContinuation(StringRef previous,
                                                     StringRef next) {
  if (previous == "not")
    return "the negation is written `!`";
  // `print(f"{x}")`
  if (next.starts_with("\"") && previous.equals_insensitive("f"))
    return "a text has no fields; `print(\"x:\", x)` prints values after it";
  if (previous == "lambda")
    return findForeignStatement(previous);
  return llvm::StringSwitch<StringRef>(next)
      .Case("and", "the conjunction is written `&&`")
      .Case("or", "the disjunction is written `||`")
      .Case("is", "equality is written `==`")
      .Case("if", "a choice is written `if c { a } else { b }`")
      .Case(":", "a range is written `tile(0, N, B)`, and `for n in tiles(N, "
                 "B) { … }` walks the tiles of a dimension")
      .Case("for", "there are no lists; tiles are combined as a whole")
      .Default("");
}
