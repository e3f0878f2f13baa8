//===- ComparisonForms.cpp - Comparisons ------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Comparison and Selection Instructions", "Half Precision Comparison
// Instructions": setp and set. Exactly one of four relations (less, equal,
// greater, unordered) holds between two values. A comparison is the set of
// relations that it accepts.
//
//===----------------------------------------------------------------------===//

#include "FloatArithmetic.h"
#include "HalfArithmetic.h"
#include "ScalarFamilies.h"

using namespace tessera::emu;
namespace emu = tessera::emu;

namespace {

enum Relation : unsigned { Less = 1, Equal = 2, Greater = 4, Unordered = 8 };

struct Comparison {
  StringRef name;
  unsigned relations;
};

constexpr Comparison kComparisons[] = {
    {"eq", Equal},
    {"ne", Less | Greater},
    {"lt", Less},
    {"le", Less | Equal},
    {"gt", Greater},
    {"ge", Greater | Equal},
    // Comparisons of floats that are true for a NaN.
    {"equ", Equal | Unordered},
    {"neu", Less | Greater | Unordered},
    {"ltu", Less | Unordered},
    {"leu", Less | Equal | Unordered},
    {"gtu", Greater | Unordered},
    {"geu", Greater | Equal | Unordered},
    {"num", Less | Equal | Greater},
    {"nan", Unordered},
};

/// Comparisons of unsigned integers.
constexpr Comparison kUnsignedComparisons[] = {
    {"lo", Less},
    {"ls", Less | Equal},
    {"hi", Greater},
    {"hs", Greater | Equal},
};

/// Combines the comparison with a predicate.
enum class Join { None, And, Or, Xor };

template <typename T>
bool compareValues(T a, T b, unsigned relations) {
  bool isLess = a<b, isEqual = a == b, isGreater = a> b;
  bool isUnordered = !isLess && !isEqual && !isGreater;
  return (relations & Less && isLess) || (relations & Equal && isEqual) ||
         (relations & Greater && isGreater) ||
         (relations & Unordered && isUnordered);
}

template <typename T, bool isFlushed>
auto prepare(T value) {
  if constexpr (std::is_integral_v<T>)
    return value;
  else if constexpr (std::is_floating_point_v<T>)
    return flushIf<isFlushed>(value);
  else
    return (isFlushed ? value.flush() : value).getValue();
}

template <typename T, unsigned relations, bool isFlushed>
bool isTrue(T a, T b) {
  return compareValues(prepare<T, isFlushed>(a), prepare<T, isFlushed>(b),
                       relations);
}

template <typename T, unsigned relations, bool isFlushed, Join join,
          uint64_t truth>
uint64_t compare(const uint64_t *words) {
  bool result = isTrue<T, relations, isFlushed>(fromWord<T>(words[0]),
                                                fromWord<T>(words[1]));
  if constexpr (join != Join::None) {
    bool other = words[2] & 1;
    result = join == Join::And  ? result && other
             : join == Join::Or ? result || other
                                : result != other;
  }
  return result ? truth : 0;
}

/// Compares two halves; `truth` is for both.
template <typename T, unsigned relations, bool isFlushed, Join join,
          uint64_t truth>
uint64_t comparePairs(const uint64_t *words) {
  uint64_t upper[3] = {words[0] >> 16, words[1] >> 16,
                       join == Join::None ? 0 : words[2]};
  return compare<T, relations, isFlushed, join, truth>(words) |
         compare<T, relations, isFlushed, join, truth>(upper) << 16;
}

/// The results for true.
constexpr uint64_t kPredicate = 1, kOnes32 = 0xffffffff, kOnes16 = 0xffff,
                   kOneF32 = 0x3f800000, kOneF16 = 0x3c00, kOneBF16 = 0x3f80;

template <typename T, bool isFlushed, uint64_t truth>
struct Chooser {
  bool isPaired;
  Join join;

  template <unsigned relations, Join join>
  ScalarFunction choose() const {
    if constexpr (std::is_class_v<T>)
      if (isPaired)
        return comparePairs<T, relations, isFlushed, join, truth>;
    // Most comparisons yield predicates.
    if constexpr (join == Join::None && truth == kPredicate)
      return onWords<compare<T, relations, isFlushed, join, truth>, 2>;
    return compare<T, relations, isFlushed, join, truth>;
  }

  template <unsigned relations>
  ScalarFunction choose() const {
    switch (join) {
    case Join::None:
      return choose<relations, Join::None>();
    case Join::And:
      return choose<relations, Join::And>();
    case Join::Or:
      return choose<relations, Join::Or>();
    case Join::Xor:
      return choose<relations, Join::Xor>();
    }
    llvm_unreachable("join");
  }

  /// Integers are never unordered, and that relation is the highest bit.
  template <unsigned relations = 1>
  ScalarFunction find(unsigned wanted) const {
    constexpr unsigned end = std::is_integral_v<T> ? 8 : 15;
    if constexpr (relations < end) {
      if (relations == wanted)
        return choose<relations>();
      return find<relations + 1>(wanted);
    }
    return nullptr;
  }
};

struct Request {
  Type source;
  unsigned relations = 0;
  Join join = Join::None;
  bool isFlushed = false;
};

template <typename T, uint64_t truth>
ScalarFunction choose(const Request &request, bool isPaired = false) {
  constexpr bool canFlush = std::is_same_v<T, float> || std::is_same_v<T, F16>;
  if constexpr (canFlush)
    if (request.isFlushed)
      return Chooser<T, true, truth>{isPaired, request.join}.find(
          request.relations);
  if (request.isFlushed)
    return nullptr;
  return Chooser<T, false, truth>{isPaired, request.join}.find(
      request.relations);
}

template <uint64_t truth>
ScalarFunction chooseByType(const Request &request) {
  if (request.source == Type::F32)
    return choose<float, truth>(request);
  if (request.source == Type::F64)
    return choose<double, truth>(request);
  return visitInteger(request.source,
                      [&]<typename T>(Tag<T>) -> ScalarFunction {
                        if constexpr (sizeof(T) == 1)
                          return nullptr;
                        else
                          return choose<T, truth>(request);
                      });
}

template <typename H, uint64_t one>
ScalarFunction chooseForHalf(const Request &request, Type target, Type same) {
  bool isPaired = getBits(request.source) == 32;
  if (target == Type::Pred)
    return isPaired ? nullptr : choose<H, kPredicate>(request);
  if (target == same)
    return choose<H, one>(request, isPaired);
  if (target == Type::U32 || target == Type::S32)
    return isPaired ? choose<H, kOnes16>(request, true)
                    : choose<H, kOnes32>(request);
  if (!isPaired && (target == Type::U16 || target == Type::S16))
    return choose<H, kOnes16>(request);
  return nullptr;
}

ScalarFunction chooseFunction(const Request &request, Type target) {
  switch (request.source) {
  case Type::F16:
  case Type::F16x2:
    return chooseForHalf<F16, kOneF16>(request, target, request.source);
  case Type::BF16:
  case Type::BF16x2:
    return chooseForHalf<BF16, kOneBF16>(request, target, request.source);
  default:
    break;
  }
  switch (target) {
  case Type::Pred:
    return chooseByType<kPredicate>(request);
  case Type::U32:
  case Type::S32:
    return chooseByType<kOnes32>(request);
  case Type::F32:
    return chooseByType<kOneF32>(request);
  default:
    return nullptr;
  }
}

/// Takes the comparison, and checks that the type of the operands allows it.
llvm::Expected<unsigned> takeRelations(FormName &name, Type source) {
  for (const Comparison &comparison : kUnsignedComparisons)
    if (name.take(comparison.name)) {
      if (source != Type::U16 && source != Type::U32 && source != Type::U64)
        return name.refuse("'." + comparison.name +
                           "' is for unsigned integers");
      return comparison.relations;
    }
  for (const Comparison &comparison : kComparisons) {
    if (!name.take(comparison.name))
      continue;
    bool isForFloats = comparison.relations & Unordered ||
                       comparison.relations == (Less | Equal | Greater);
    if (isForFloats && !isFloat(source))
      return name.refuse("'." + comparison.name + "' is for floats");
    bool isOrder = comparison.name != "eq" && comparison.name != "ne";
    if (isOrder &&
        (source == Type::B16 || source == Type::B32 || source == Type::B64))
      return name.refuse("bits have no order");
    return comparison.relations;
  }
  return name.refuse("the comparison is missing");
}

llvm::Expected<ScalarForm> findForm(FormName &name, Type target) {
  Request request;
  constexpr Type sources[] = {Type::B16,   Type::B32,  Type::B64,   Type::U16,
                              Type::U32,   Type::U64,  Type::S16,   Type::S32,
                              Type::S64,   Type::F16,  Type::F32,   Type::F64,
                              Type::F16x2, Type::BF16, Type::BF16x2};
  llvm::Expected<Type> source = name.takeType(sources);
  if (!source)
    return source.takeError();
  request.source = *source;
  llvm::Expected<unsigned> relations = takeRelations(name, *source);
  if (!relations)
    return relations.takeError();
  request.relations = *relations;
  request.isFlushed = name.take("ftz");
  SmallVector<Type, 3> operands(2, *source);
  if (std::optional<unsigned> join = name.takeOneOf({"and", "or", "xor"})) {
    request.join = static_cast<Join>(*join + 1);
    operands.push_back(Type::Pred);
  }
  return name.makeForm(chooseFunction(request, target), target, operands);
}

} // namespace

llvm::Expected<ScalarForm> emu::findPredicateComparison(FormName &name) {
  return findForm(name, Type::Pred);
}

llvm::Expected<ScalarForm> emu::findComparison(FormName &name) {
  llvm::Expected<Type> target =
      name.takeType({Type::U16, Type::S16, Type::U32, Type::S32, Type::F16,
                     Type::F16x2, Type::BF16, Type::BF16x2, Type::F32});
  if (!target)
    return target.takeError();
  return findForm(name, *target);
}
