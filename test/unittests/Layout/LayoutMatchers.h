//===- LayoutMatchers.h - Layouts in tests ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TEST_UNITTESTS_LAYOUT_LAYOUTMATCHERS_H
#define TESSERA_TEST_UNITTESTS_LAYOUT_LAYOUTMATCHERS_H

#include "tessera/Layout/Layout.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::layout {

/// For readable failures.
inline void PrintTo(const Layout &layout, std::ostream *os) {
  *os << layout.str();
}

/// The value, or a failed test and a process that cannot go on with it.
template <typename T>
T get(llvm::Expected<T> value) {
  if (value)
    return std::move(*value);
  ADD_FAILURE() << llvm::toString(value.takeError());
  std::abort();
}

inline Layout parse(llvm::StringRef text) { return get(Layout::parse(text)); }

/// The message of an error; empty if there is none.
template <typename T>
std::string getError(llvm::Expected<T> value) {
  return value ? std::string() : llvm::toString(value.takeError());
}

} // namespace tessera::layout

#endif // TESSERA_TEST_UNITTESTS_LAYOUT_LAYOUTMATCHERS_H
