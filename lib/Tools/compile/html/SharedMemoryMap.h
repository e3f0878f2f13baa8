//===- SharedMemoryMap.h - Buffers over addresses and lines -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_COMPILE_HTML_SHAREDMEMORYMAP_H
#define TESSERA_LIB_TOOLS_COMPILE_HTML_SHAREDMEMORYMAP_H

#include "Listing.h"

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::tools {

/// The buffers in the shared memory of a kernel with addresses, and the lines
/// of its listing in which they are live.
class SharedMemoryMap {
public:
  SharedMemoryMap(sm::KernelOp kernel, const Listing &listing,
                  PlaceTable &places);

  /// Writes an object.
  void write(llvm::json::OStream &json) const;

private:
  struct Lines {
    unsigned first, last;
  };
  struct Buffer {
    std::string what, op, role;
    int64_t address, bytes;
    unsigned line;
    Lines alive;
    SmallVector<unsigned> places;
    /// Places of the ops that write to it.
    SmallVector<unsigned> writers;
  };
  struct Role {
    std::string name;
    Lines lines;
  };

  std::string name;
  int64_t bytes;
  Lines lines;
  std::vector<Role> roles;
  std::vector<Buffer> buffers;
};

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_HTML_SHAREDMEMORYMAP_H
