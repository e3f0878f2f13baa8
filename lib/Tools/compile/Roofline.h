//===- Roofline.h - Bounds of a kernel's loops ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations and bytes of one step of each loop and of the rest of a program,
// and which of the two bounds the time on the target. Only the kernel is
// counted: whole tiles, and only products and copies. The kernel does not tell
// how often other CTAs read the same bytes, which are then in the cache. The
// bound by memory therefore includes the number of CTAs that would lift it.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_COMPILE_ROOFLINE_H
#define TESSERA_LIB_TOOLS_COMPILE_ROOFLINE_H

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Target/GpuTarget.h"

#include "llvm/ADT/MapVector.h"

namespace tessera::tools {

/// Work that is executed once.
struct Work {
  /// Operations of tensor cores by the type of the elements, and others.
  llvm::MapVector<Type, int64_t> products;
  int64_t multiplyAdds = 0;
  /// Bytes from and to global memory.
  int64_t read = 0, written = 0;

  bool isEmpty() const {
    return products.empty() && multiplyAdds + read + written == 0;
  }
  /// Adds work that runs in sequence; `raiseTo` takes the maximum of two
  /// alternatives.
  void add(const Work &other);
  void raiseTo(const Work &other);
};

/// A loop by its location in the source. Copies of one loop that a pass
/// created, for roles or bounds, count as one loop.
struct LoopWork {
  std::string place;
  Work step;
};

struct Roofline {
  explicit Roofline(sm::KernelOp kernel);

  /// Returns the lines to print.
  std::vector<std::string> describe(const GpuTarget &target) const;

  std::vector<LoopWork> loops;
  /// Work outside of loops, except the loop over programs.
  Work program;

private:
  Work count(Region &region);
  Work count(Operation &op);

  SmallVector<sm::RoleOp> pingPongRoles;
};

/// Returns "kernel.tile:12:9", or an empty text.
std::string getPlace(Operation *op);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_ROOFLINE_H
