//===- NumpyFile.h - NumPy's .npy files -------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading and writing of .npy files: versions 1 to 3 of the header,
// little-endian or one-byte element types, C and Fortran order. The reader does
// not trust its input: each size is checked before use.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_ARRAY_NUMPYFILE_H
#define TESSERA_ARRAY_NUMPYFILE_H

#include "tessera/Array/NDArray.h"

namespace tessera::array {

/// Parses the contents of a .npy file.
llvm::Expected<NDArray> parseNumpy(llvm::StringRef contents);

/// Reads the file `path`; the error names it.
llvm::Expected<NDArray> readNumpyFile(llvm::StringRef path);

/// Returns the contents of a .npy file. The narrow float types (f16, bf16, f8)
/// are written as f32.
std::string formatNumpy(const NDArray &array);

/// Writes `array` to the file `path`, completely or not at all. The error names
/// the file.
llvm::Error writeNumpyFile(llvm::StringRef path, const NDArray &array);

} // namespace tessera::array

#endif // TESSERA_ARRAY_NUMPYFILE_H
