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
// 2 machine code (cubin), 3 PTX. Metadata is required, and machine code or PTX:
// of each kind one section that holds all kernels, or one for every kernel in
// the order of the metadata, since each is assembled by itself. Sections do not
// overlap. A reader skips unknown kinds. A truncated, changed or forged file
// gives an error and never a wrong package.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_RUNTIME_KERNELPACKAGE_H
#define TESSERA_RUNTIME_KERNELPACKAGE_H

#include "tessera/Runtime/KernelMetadata.h"

namespace tessera::rt {

struct KernelPackage {
  /// The processor that the machine code is for: "sm_90a".
  std::string target;
  /// Variants of one kernel have its name and its parameters.
  std::vector<KernelMetadata> kernels;
  /// The version of the ptxas that made the machine code, "13.5.37", or empty.
  std::string ptxas;
  /// One for all kernels, or one for each.
  std::vector<std::string> cubins;
  /// Likewise. Zero-terminated text is made of it when the driver compiles it.
  std::vector<std::string> ptx;

  /// The first variant of each kernel.
  std::vector<const KernelMetadata *> getFirstVariants() const;

  /// The variants of the kernel of that name in the order in which a launch
  /// tries them, or an error that lists the names. An empty name stands for the
  /// only kernel.
  llvm::Expected<llvm::SmallVector<const KernelMetadata *, 2>>
  findVariants(llvm::StringRef name) const;

  /// The first variant.
  llvm::Expected<const KernelMetadata *> find(llvm::StringRef name) const;

  /// The machine code that holds the kernel number `kernel`, or its PTX where
  /// the package has no machine code.
  llvm::StringRef getImage(size_t kernel) const;

  /// The contents of the section of metadata.
  std::string writeMetadata() const;

  /// What reading checks of the kernels together, for packages that a compiler
  /// has built.
  llvm::Error verify() const;

  /// The contents of the file.
  std::string write() const;

  static llvm::Expected<KernelPackage> read(llvm::StringRef bytes);
  static llvm::Expected<KernelPackage> readFile(llvm::StringRef path);
  llvm::Error writeFile(llvm::StringRef path) const;
};

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_KERNELPACKAGE_H
