//===- Roofline.h - What bounds the loops of a kernel -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations and bytes of one step of each loop and of the rest of a program,
// and which of the two the target lets finish last. Only what the kernel says
// is counted: whole tiles, and products and copies alone. What it does not say
// is how often other CTAs ask for the same bytes, which the cache then has; so
// the bound by memory comes with the number of CTAs that would lift it.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_COMPILE_ROOFLINE_H
#define TESSERA_LIB_TOOLS_COMPILE_ROOFLINE_H

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Target/GpuTarget.h"

#include "llvm/ADT/MapVector.h"

namespace tessera::tools {

/// What is done once.
struct Work {
  /// Operations of tensor cores by the type of the elements, and others.
  llvm::MapVector<Type, int64_t> products;
  int64_t multiplyAdds = 0;
  /// Bytes from and to global memory.
  int64_t read = 0, written = 0;

  bool isEmpty() const {
    return products.empty() && multiplyAdds + read + written == 0;
  }
  /// Does the one after the other, or the larger one of two ways.
  void add(const Work &other);
  void raiseTo(const Work &other);
};

/// A loop by its place in the source; what a pass has made of one loop, for
/// roles or for bounds, counts as one.
struct LoopWork {
  std::string place;
  Work step;
};

struct Roofline {
  explicit Roofline(sm::KernelOp kernel);

  /// Lines to print.
  std::vector<std::string> describe(const GpuTarget &target) const;

  std::vector<LoopWork> loops;
  /// Outside of loops, but for the one over programs.
  Work program;

private:
  Work count(Region &region);
  Work count(Operation &op);

  SmallVector<sm::RoleOp> rolesInTurn;
};

/// "kernel.tile:12:9", or empty.
std::string getPlace(Operation *op);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_ROOFLINE_H
