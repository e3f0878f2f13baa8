//===- Progress.h - How far long work is ------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_SUPPORT_PROGRESS_H
#define TESSERA_SUPPORT_PROGRESS_H

#include <cstdint>
#include <functional>

namespace tessera {

/// Is told of work, after each part of it, how many parts are done.
using ProgressHandler = std::function<void(uint64_t done, uint64_t total)>;

} // namespace tessera

#endif // TESSERA_SUPPORT_PROGRESS_H
