//===- KernelPackage.h - Kernels in one file --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file that the compiler writes and the runtime reads, `*.tpk`. All numbers
// are little-endian:
//
//   offset  bytes  what
//        0      8  "TESSERAK"
//        8      4  version of the format, 2
//       12      4  number of sections, n
//       16      4  CRC-32 of everything after this field
//       20      4  0
//       24   24*n  sections: kind (4), 0 (4), offset in the file (8), bytes (8)
//        …         the contents
//
// Section kinds: 1 metadata (JSON: {"target": …, "ptxas": …, "kernels": […]}),
// 2 machine code (cubin), 3 PTX. Metadata is required, and at least one of
// machine code and PTX. Both kinds have either one section for all kernels, or
// one section for each kernel in the order of the metadata, since each kernel
// is assembled separately. Sections do not overlap. A reader skips unknown
// kinds. A truncated, changed or forged file gives an error, never a wrong
// package.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_RUNTIME_KERNELPACKAGE_H
#define TESSERA_RUNTIME_KERNELPACKAGE_H

#include "tessera/Runtime/KernelMetadata.h"

namespace tessera::rt {

struct KernelPackage {
  /// The processor of the machine code: "sm_90a".
  std::string target;
  /// Variants of a kernel have the same name and parameters.
  std::vector<KernelMetadata> kernels;
  /// The version of the ptxas that created the machine code, "13.5.37", or
  /// empty.
  std::string ptxas;
  /// One cubin for all kernels, or one for each.
  std::vector<std::string> cubins;
  /// One PTX text for all kernels, or one for each. A copy is zero-terminated
  /// when the driver compiles it.
  std::vector<std::string> ptx;

  /// Returns the first variant of each kernel.
  std::vector<const KernelMetadata *> getFirstVariants() const;

  /// Returns the variants of the kernel of that name, in the order in which a
  /// launch tries them, or an error that lists the names. An empty name means
  /// the only kernel.
  llvm::Expected<llvm::SmallVector<const KernelMetadata *, 2>>
  findVariants(llvm::StringRef name) const;

  /// Returns the first variant.
  llvm::Expected<const KernelMetadata *> find(llvm::StringRef name) const;

  /// Returns the machine code that holds kernel number `kernel`, or its PTX if
  /// the package has no machine code.
  llvm::StringRef getImage(size_t kernel) const;

  /// Returns the contents of the section of metadata.
  std::string writeMetadata() const;

  /// Performs the checks of reading on all kernels together, for packages that
  /// a compiler built.
  llvm::Error verify() const;

  /// Returns the contents of the file.
  std::string write() const;

  static llvm::Expected<KernelPackage> read(llvm::StringRef bytes);
  static llvm::Expected<KernelPackage> readFile(llvm::StringRef path);
  llvm::Error writeFile(llvm::StringRef path) const;
};

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_KERNELPACKAGE_H
