//===- ErrorText.h - What errors say ----------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TEST_UNITTESTS_EMULATOR_ERRORTEXT_H
#define TESSERA_TEST_UNITTESTS_EMULATOR_ERRORTEXT_H

#include "llvm/Support/Error.h"

#include <string>

namespace tessera::emu {

/// Nothing, if there is no error.
inline std::string getErrorText(llvm::Error error) {
  return llvm::toString(std::move(error));
}

/// Leaves a value in place.
template <typename T>
std::string getErrorText(llvm::Expected<T> &&value) {
  return llvm::toString(value.takeError());
}
template <typename T>
std::string getErrorText(llvm::Expected<T> &value) {
  return llvm::toString(value.takeError());
}

} // namespace tessera::emu

#endif // TESSERA_TEST_UNITTESTS_EMULATOR_ERRORTEXT_H
