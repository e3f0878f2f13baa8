//===- BuiltinFunctions.cpp - The table of built-in functions ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions have names of their own: a `let` may be called `max` without hiding
// the function.
//
//===----------------------------------------------------------------------===//

#include "BuiltinFunctions.h"

#include "tessera/Frontend/Vocabulary.h"

using namespace tessera;
using namespace tessera::frontend;

const llvm::StringMap<BuiltinFunctions::Handler> &BuiltinFunctions::getTable() {
  using K = BuiltinFunctions;
  static const llvm::StringMap<Handler> table = {
      {"abs", &K::genElementwise},
      {"acos", &K::genElementwise},
      {"asin", &K::genElementwise},
      {"atan", &K::genElementwise},
      {"cbrt", &K::genElementwise},
      {"ceil", &K::genElementwise},
      {"cos", &K::genElementwise},
      {"cosh", &K::genElementwise},
      {"erf", &K::genElementwise},
      {"exp", &K::genElementwise},
      {"exp2", &K::genElementwise},
      {"expm1", &K::genElementwise},
      {"floor", &K::genElementwise},
      {"log", &K::genElementwise},
      {"log1p", &K::genElementwise},
      {"log2", &K::genElementwise},
      {"round", &K::genElementwise},
      {"rsqrt", &K::genElementwise},
      {"sigmoid", &K::genElementwise},
      {"sin", &K::genElementwise},
      {"sinh", &K::genElementwise},
      {"sqrt", &K::genElementwise},
      {"tan", &K::genElementwise},
      {"tanh", &K::genElementwise},
      {"trunc", &K::genElementwise},
      {"asm", &K::genAsm},
      {"atan2", &K::genOfTwo},
      {"copysign", &K::genOfTwo},
      {"fmod", &K::genOfTwo},
      {"pow", &K::genOfTwo},
      {"isfinite", &K::genFloatTest},
      {"isinf", &K::genFloatTest},
      {"isnan", &K::genFloatTest},
      {"sign", &K::genSign},
      {"max", &K::genExtremum},
      {"min", &K::genExtremum},
      {"where", &K::genWhere},
      {"fma", &K::genFma},
      {"bits", &K::genBits},
      {"clz", &K::genElementwise},
      {"mulhi", &K::genMulhi},
      {"popcount", &K::genElementwise},
      {"sum", &K::genSum},
      {"cumsum", &K::genCumsum},
      {"reduce", &K::genCombined},
      {"all", &K::genWhole},
      {"any", &K::genWhole},
      {"argmax", &K::genWhole},
      {"argmin", &K::genWhole},
      {"cummax", &K::genWhole},
      {"cummin", &K::genWhole},
      {"cumprod", &K::genWhole},
      {"prod", &K::genWhole},
      {"scan", &K::genCombined},
      {"broadcast", &K::genBroadcast},
      {"concat", &K::genConcat},
      {"flip", &K::genFlip},
      {"join", &K::genJoin},
      {"permute", &K::genPermute},
      {"reshape", &K::genReshape},
      {"split", &K::genSplit},
      {"argsort", &K::genSorted},
      {"sort", &K::genSorted},
      {"top", &K::genSorted},
      {"zeros", &K::genZeros},
      {"ones", &K::genZeros},
      {"full", &K::genFull},
      {"iota", &K::genIota},
      {"load", &K::genLoad},
      {"atomic_add", &K::genAtomic},
      {"atomic_and", &K::genAtomic},
      {"atomic_cas", &K::genAtomic},
      {"atomic_exchange", &K::genAtomic},
      {"atomic_max", &K::genAtomic},
      {"atomic_min", &K::genAtomic},
      {"atomic_or", &K::genAtomic},
      {"atomic_xor", &K::genAtomic},
      {"barrier", &K::genBarrier},
      {"print", &K::genPrint},
      {"tile", &K::genTileRange},
      {"tiles", &K::genMisplacedDomain},
      {"range", &K::genMisplacedDomain}};
  return table;
}

std::vector<StringRef> BuiltinFunctions::getNames() {
  std::vector<StringRef> names;
  for (const auto &entry : getTable())
    names.push_back(entry.getKey());
  // The order of a hash table is not deterministic.
  llvm::sort(names);
  return names;
}

Entity BuiltinFunctions::genCall(const CallExpr &call) {
  Handler handler = getTable().at(call.callee.text);
  return (this->*handler)(call);
}

bool tessera::frontend::isBuiltinFunction(StringRef name) {
  return BuiltinFunctions::contains(name);
}

std::vector<StringRef> tessera::frontend::getBuiltinFunctions() {
  return BuiltinFunctions::getNames();
}
