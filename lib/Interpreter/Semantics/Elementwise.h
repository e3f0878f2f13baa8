//===- Elementwise.h - Loops over elements of tiles -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the semantics of an elementwise operation from a function on single
// elements. Scalars are tiles of one element, so one loop serves both.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_INTERPRETER_SEMANTICS_ELEMENTWISE_H
#define TESSERA_LIB_INTERPRETER_SEMANTICS_ELEMENTWISE_H

#include "tessera/Array/Rounding.h"
#include "tessera/Interpreter/Semantics.h"

namespace tessera::interp {

/// Makes semantics from `fill(op, frame, result)`, which sets every element of
/// `result`. The result is rounded or wrapped to the element type.
template <typename Fill>
Semantics fillResult(Fill fill) {
  return [fill](Operation *op, Frame &frame) {
    Tile result = frame.makeResult(op);
    fill(op, frame, result);
    result.normalize();
    frame.set(op->getResult(0), std::move(result));
    return success();
  };
}

/// Returns a result of `compute` as an element. A narrow element held in f32 is
/// rounded later, with all others.
template <typename T, typename Result>
T roundResult(ElementType type, Result value) {
  if constexpr (std::is_same_v<T, Result>)
    return value;
  else
    return roundToType<T>(type, value);
}

/// Makes semantics from `compute(x)` for floats. A result in f64 is rounded
/// once to the element type, others are rounded from the type of `x`.
template <typename Compute>
Semantics mapFloats(Compute compute) {
  return fillResult([compute](Operation *op, Frame &frame, Tile &result) {
    const Tile &operand = frame.getTile(op->getOperand(0));
    visitFloats(result.getType(), [&](auto number) {
      using T = decltype(number);
      ArrayRef<T> x = operand.get<T>();
      MutableArrayRef<T> out = result.getMutable<T>();
      for (size_t i = 0, e = out.size(); i < e; ++i)
        out[i] = roundResult<T>(result.getType(), compute(x[i]));
    });
  });
}

/// Makes semantics from `compute(x, y)` for floats, as `mapFloats` does.
template <typename Compute>
Semantics zipFloats(Compute compute) {
  return fillResult([compute](Operation *op, Frame &frame, Tile &result) {
    const Tile &lhs = frame.getTile(op->getOperand(0));
    const Tile &rhs = frame.getTile(op->getOperand(1));
    visitFloats(result.getType(), [&](auto number) {
      using T = decltype(number);
      ArrayRef<T> x = lhs.get<T>(), y = rhs.get<T>();
      MutableArrayRef<T> out = result.getMutable<T>();
      for (size_t i = 0, e = out.size(); i < e; ++i)
        out[i] = roundResult<T>(result.getType(), compute(x[i], y[i]));
    });
  });
}

/// Makes semantics from `compute(float) -> int64_t`, for results of integer
/// type.
template <typename Compute>
Semantics mapFloatsToIntegers(Compute compute) {
  return fillResult([compute](Operation *op, Frame &frame, Tile &result) {
    const Tile &operand = frame.getTile(op->getOperand(0));
    MutableArrayRef<int64_t> out = result.mutableIntegers();
    for (size_t i = 0, e = out.size(); i < e; ++i)
      out[i] = compute(operand.getFloat(i));
  });
}

/// Makes semantics from `compute(type, int64_t) -> int64_t`, where `type` is
/// the type of the operand. The result is wrapped.
template <typename Compute>
Semantics mapIntegers(Compute compute) {
  return fillResult([compute](Operation *op, Frame &frame, Tile &result) {
    const Tile &operand = frame.getTile(op->getOperand(0));
    ArrayRef<int64_t> x = operand.integers();
    MutableArrayRef<int64_t> out = result.mutableIntegers();
    for (size_t i = 0, e = out.size(); i < e; ++i)
      out[i] = compute(operand.getType(), x[i]);
  });
}

/// Makes semantics from `compute(int64_t, int64_t) -> uint64_t` on the held
/// values, for operations whose result only depends on the low bits.
template <typename Compute>
Semantics zipBits(Compute compute) {
  return fillResult([compute](Operation *op, Frame &frame, Tile &result) {
    ArrayRef<int64_t> x = frame.getTile(op->getOperand(0)).integers();
    ArrayRef<int64_t> y = frame.getTile(op->getOperand(1)).integers();
    MutableArrayRef<int64_t> out = result.mutableIntegers();
    for (size_t i = 0, e = out.size(); i < e; ++i)
      out[i] = static_cast<int64_t>(compute(x[i], y[i]));
  });
}

/// The reason why an element has no value, or null.
using Defect = const char *;

/// Makes semantics from `compute(type, int64_t, int64_t, int64_t &) -> Defect`.
/// The result is wrapped. A defect is reported with the first operands that
/// cause it.
template <typename Compute>
Semantics zipIntegersChecked(Compute compute) {
  return [compute](Operation *op, Frame &frame) -> LogicalResult {
    Tile result = frame.makeResult(op);
    const Tile &lhs = frame.getTile(op->getOperand(0));
    ElementType type = lhs.getType();
    ArrayRef<int64_t> x = lhs.integers();
    ArrayRef<int64_t> y = frame.getTile(op->getOperand(1)).integers();
    MutableArrayRef<int64_t> out = result.mutableIntegers();
    for (size_t i = 0, e = out.size(); i < e; ++i)
      if (Defect defect = compute(type, x[i], y[i], out[i]))
        return frame.report(op, Twine(defect) + " (operands " +
                                    Twine(asSigned(type, x[i])) + " and " +
                                    Twine(asSigned(type, y[i])) + ")");
    result.normalize();
    frame.set(op->getResult(0), std::move(result));
    return success();
  };
}

} // namespace tessera::interp

#endif // TESSERA_LIB_INTERPRETER_SEMANTICS_ELEMENTWISE_H
