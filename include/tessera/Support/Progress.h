//===- Progress.h - Progress of long work -----------------------*- C++ -*-===//
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

/// Called after each part of the work, with the number of completed parts.
using ProgressHandler = std::function<void(uint64_t done, uint64_t total)>;

} // namespace tessera

#endif // TESSERA_SUPPORT_PROGRESS_H
