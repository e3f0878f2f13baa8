//===- LastError.h - Errors of functions in C -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The error of the last call of a thread. Invariant: no exception leaves a
// function of the interface.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CAPI_LASTERROR_H
#define TESSERA_LIB_CAPI_LASTERROR_H

#include "tessera-c/Runtime.h"

#include "llvm/ADT/Twine.h"

#include <exception>
#include <new>
#include <string>

namespace tessera::capi {

struct LastError {
  std::string text;
  /// Points to `text`, or to a literal if there is no memory for a text.
  const char *pointer = "";
  int32_t driverCode = 0;
};

inline LastError &lastError() {
  thread_local LastError error;
  return error;
}

inline tessera_status fail(tessera_status status, const llvm::Twine &message) {
  LastError &last = lastError();
  last.driverCode = 0;
  last.text = message.str();
  last.pointer = last.text.c_str();
  return status;
}

inline tessera_status failWithLiteral(tessera_status status,
                                      const char *literal) {
  lastError().driverCode = 0;
  lastError().pointer = literal;
  return status;
}

/// Runs `body`; no exception leaves it.
template <typename Body>
tessera_status contain(Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return failWithLiteral(TESSERA_ERROR_MEMORY, "out of memory");
  } catch (...) {
    return failWithLiteral(TESSERA_ERROR_USAGE,
                           "an exception of the standard library");
  }
}

inline tessera_status refuseNull(const char *name) {
  return fail(TESSERA_ERROR_USAGE, "'" + llvm::Twine(name) + "' is NULL");
}

} // namespace tessera::capi

#endif // TESSERA_LIB_CAPI_LASTERROR_H
