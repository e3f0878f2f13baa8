//===- ValueText.cpp - Numbers and tiles as text ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Long tiles are shortened as in NumPy.
//
//===----------------------------------------------------------------------===//

#include "tessera/Array/ValueText.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace tessera;

/// The largest number of elements that are all printed, and the number of
/// elements at each end of a longer tile.
static constexpr int64_t kMostElements = 256, kEnd = 3;

std::string array::formatFloat(double value, bool isDouble) {
  if (std::isnan(value))
    return "nan";
  char text[40];
  for (int digits = 6; digits <= 17; ++digits) {
    std::snprintf(text, sizeof(text), "%.*g", digits, value);
    double back = std::strtod(text, nullptr);
    if (isDouble ? back == value : float(back) == float(value))
      break;
  }
  return text;
}

static void printAxes(llvm::raw_ostream &os, llvm::ArrayRef<int64_t> shape,
                      int64_t first, bool isShort,
                      llvm::function_ref<void(int64_t)> print) {
  if (shape.empty())
    return print(first);
  int64_t stride = 1;
  for (int64_t extent : shape.drop_front())
    stride *= extent;
  os << '[';
  for (int64_t i = 0; i < shape.front(); ++i) {
    os << (i ? ", " : "");
    if (isShort && i == kEnd && shape.front() > 2 * kEnd) {
      os << "..., ";
      i = shape.front() - kEnd;
    }
    printAxes(os, shape.drop_front(), first + i * stride, isShort, print);
  }
  os << ']';
}

void array::printElements(llvm::raw_ostream &os, llvm::ArrayRef<int64_t> shape,
                          llvm::function_ref<void(int64_t)> print) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  printAxes(os, shape, 0, count > kMostElements, print);
}
