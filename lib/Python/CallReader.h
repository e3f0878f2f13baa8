//===- CallReader.h - Arguments of a call from Python -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the arguments of a call into a key: all values on which its launch
// depends, except the addresses of the tensors. Calls with the same key have
// the same plan.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_PYTHON_CALLREADER_H
#define TESSERA_LIB_PYTHON_CALLREADER_H

#include "DLPack.h"
#include "Object.h"
#include <cstring>
#include <vector>

namespace tessera::python {

/// The types and functions of a library of tensors.
struct TensorLibrary {
  /// The exact types of tensors. Objects of subclasses may behave differently.
  PyTypeObject *tensor = nullptr;
  PyTypeObject *parameter = nullptr;
  PyTypeObject *dtype = nullptr;
  /// A function that tells whether a tensor is a view that negates.
  PyObject *isNegated = nullptr;
  const dlpack::ExchangeTable *exchange = nullptr;

  /// Reads the address of a tensor. Returns false with a Python error.
  bool readAddress(PyObject *value, uint64_t &address) const;
};

/// Words in a buffer of fixed size. A call that needs more is uncommon.
class CallKey {
public:
  void append(uint64_t word) {
    if (size < kMost)
      words[size] = word;
    else
      isFull = true;
    ++size;
  }
  void append(const char *text, size_t length);

  /// Checks whether all appended words fitted.
  bool isWhole() const { return !isFull; }
  uint64_t hash() const;
  bool operator==(const std::vector<uint64_t> &other) const {
    return size == other.size() &&
           std::memcmp(words, other.data(), size * sizeof(uint64_t)) == 0;
  }
  std::vector<uint64_t> copy() const { return {words, words + size}; }

private:
  static constexpr size_t kMost = 512;

  uint64_t words[kMost];
  size_t size = 0;
  bool isFull = false;
};

/// The arguments of one call.
class CallReader {
public:
  explicit CallReader(const TensorLibrary &library) : library(library) {}

  enum class Result { Read, Unknown, Error };

  /// Reads a tuple and a dict that belong to this call alone. Arguments named
  /// `stream` and `out` do not belong to the kernel: the key omits the stream,
  /// and the tensors of `out` come last. Returns Unknown if no key can
  /// represent an argument.
  Result read(PyObject *values, PyObject *named);

  const CallKey &getKey() const { return key; }
  /// Returns the stream that the caller passed, or null.
  PyObject *getStream() const { return stream; }
  /// Returns the number of arguments. They have the order of the call; an
  /// argument without an address has address 0.
  size_t size() const { return count; }
  PyObject *getValue(size_t i) const { return given[i]; }
  uint64_t getAddress(size_t i) const { return addresses[i]; }

private:
  /// More than the arguments of any kernel.
  static constexpr size_t kMostArguments = 64;

  Result readPositional(PyObject *tuple);
  Result readNamed(PyObject *name, PyObject *value);
  Result readValue(PyObject *value);
  Result readTensor(PyObject *value);
  Result readOutputs();

  const TensorLibrary &library;
  CallKey key;
  PyObject *given[kMostArguments];
  uint64_t addresses[kMostArguments];
  size_t count = 0;
  PyObject *stream = nullptr;
  PyObject *out = nullptr;
  /// Keeps the outputs of a list or a dict alive.
  Object outputs;
};

} // namespace tessera::python

#endif // TESSERA_LIB_PYTHON_CALLREADER_H
