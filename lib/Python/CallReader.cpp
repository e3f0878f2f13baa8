//===- CallReader.cpp - Arguments of a call from Python ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Serialises the arguments of a call into the words of a key. Invariant:
// different calls have different words. Each part of a key begins with a word
// that tells its kind and length.
//
//===----------------------------------------------------------------------===//

#include "CallReader.h"
#include <algorithm>

using namespace tessera::python;
using Result = CallReader::Result;

/// The kind of a part of a key, in the lowest byte of its first word.
enum Kind : uint64_t {
  Tensor,
  Float,
  Integer,
  Bool,
  None,
  Text,
  Dtype,
  Name,
  Outputs
};

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

void CallKey::append(const char *text, size_t length) {
  for (size_t i = 0; i < length; i += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, text + i, std::min(length - i, sizeof(word)));
    append(word);
  }
}

uint64_t CallKey::hash() const {
  uint64_t hash = size;
  for (size_t i = 0; i < size; ++i) {
    hash = (hash ^ words[i]) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  return hash;
}

/// Appends a string by its contents: equal strings may be different objects.
/// Returns false for an object that is not a text.
static bool appendText(CallKey &key, Kind kind, PyObject *string) {
  Py_ssize_t length = 0;
  const char *text = PyUnicode_AsUTF8AndSize(string, &length);
  if (!text) {
    PyErr_Clear();
    return false;
  }
  key.append(kind | uint64_t(length) << 8);
  key.append(text, length);
  return true;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

bool TensorLibrary::readAddress(PyObject *value, uint64_t &address) const {
  dlpack::Tensor tensor;
  if (exchange->describe(value, &tensor) != 0)
    return false;
  address = reinterpret_cast<uintptr_t>(tensor.data) + tensor.byteOffset;
  return true;
}

Result CallReader::readTensor(PyObject *value) {
  Object isNegated = Object::take(
      PyObject_CallFunctionObjArgs(library.isNegated, value, nullptr));
  if (!isNegated)
    return Result::Error;
  dlpack::Tensor tensor;
  // The checks of the first call report a tensor of another kind.
  if (isNegated.get() != Py_False)
    return Result::Unknown;
  if (library.exchange->describe(value, &tensor) != 0) {
    PyErr_Clear();
    return Result::Unknown;
  }
  key.append(Kind::Tensor | uint64_t(tensor.typeCode) << 8 |
             uint64_t(tensor.typeBits) << 16 |
             uint64_t(tensor.typeLanes) << 32 |
             uint64_t(tensor.strides != nullptr) << 48);
  key.append(uint64_t(uint32_t(tensor.deviceType)) << 32 |
             uint32_t(tensor.deviceId));
  key.append(tensor.rank);
  for (int32_t i = 0; i < tensor.rank; ++i)
    key.append(tensor.shape[i]);
  for (int32_t i = 0; i < tensor.rank && tensor.strides; ++i)
    key.append(tensor.strides[i]);
  addresses[count] =
      reinterpret_cast<uintptr_t>(tensor.data) + tensor.byteOffset;
  return Result::Read;
}

Result CallReader::readValue(PyObject *value) {
  if (count == kMostArguments)
    return Result::Unknown;
  given[count] = value;
  addresses[count] = 0;
  PyTypeObject *type = Py_TYPE(value);
  Result result = Result::Read;
  if (type == library.tensor || type == library.parameter) {
    result = readTensor(value);
  } else if (PyFloat_CheckExact(value)) {
    // Floats are compared by their bits: the two zeros are equal as numbers.
    double number = PyFloat_AsDouble(value);
    uint64_t bits;
    std::memcpy(&bits, &number, sizeof(bits));
    key.append(Kind::Float);
    key.append(bits);
  } else if (PyBool_Check(value)) {
    key.append(Kind::Bool | uint64_t(value == Py_True) << 8);
  } else if (PyLong_CheckExact(value)) {
    int overflow = 0;
    key.append(Kind::Integer);
    key.append(PyLong_AsLongLongAndOverflow(value, &overflow));
    if (overflow)
      return Result::Unknown;
  } else if (value == Py_None) {
    key.append(Kind::None);
  } else if (PyUnicode_CheckExact(value)) {
    if (!appendText(key, Kind::Text, value))
      return Result::Unknown;
  } else if (type == library.dtype) {
    // The library keeps one object for each type.
    key.append(Kind::Dtype);
    key.append(reinterpret_cast<uintptr_t>(value));
  } else {
    return Result::Unknown;
  }
  ++count;
  return result;
}

Result CallReader::readNamed(PyObject *name, PyObject *value) {
  PyObject **special = PyUnicode_CompareWithASCIIString(name, "out") == 0 ? &out
                       : PyUnicode_CompareWithASCIIString(name, "stream") == 0
                           ? &stream
                           : nullptr;
  if (special) {
    *special = value == Py_None ? nullptr : value;
    return Result::Read;
  }
  return appendText(key, Kind::Name, name) ? readValue(value) : Result::Unknown;
}

Result CallReader::readOutputs() {
  bool isDict = PyDict_CheckExact(out);
  // A list or a dict may change while other threads run.
  outputs = Object::take(isDict                    ? PyDict_Copy(out)
                         : PyList_CheckExact(out)  ? PyList_AsTuple(out)
                         : PyTuple_CheckExact(out) ? PySequence_Tuple(out)
                                                   : PyTuple_Pack(1, out));
  if (!outputs)
    return Result::Error;
  key.append(Kind::Outputs | uint64_t(isDict) << 8 |
             uint64_t(PyObject_Size(outputs.get())) << 16);
  if (!isDict)
    return readPositional(outputs.get());
  PyObject *name, *value;
  for (Py_ssize_t at = 0; PyDict_Next(outputs.get(), &at, &name, &value);) {
    if (!PyUnicode_CheckExact(name) || !appendText(key, Kind::Name, name))
      return Result::Unknown;
    if (Result result = readValue(value); result != Result::Read)
      return result;
  }
  return Result::Read;
}

Result CallReader::readPositional(PyObject *tuple) {
  Py_ssize_t size = PyTuple_Size(tuple);
  for (Py_ssize_t i = 0; i < size; ++i)
    if (Result result = readValue(PyTuple_GetItem(tuple, i));
        result != Result::Read)
      return result;
  return Result::Read;
}

Result CallReader::read(PyObject *values, PyObject *named) {
  key.append(PyTuple_Size(values));
  if (Result result = readPositional(values); result != Result::Read)
    return result;
  PyObject *name, *value;
  for (Py_ssize_t at = 0; PyDict_Next(named, &at, &name, &value);)
    if (Result result = readNamed(name, value); result != Result::Read)
      return result;
  if (out)
    if (Result result = readOutputs(); result != Result::Read)
      return result;
  return key.isWhole() ? Result::Read : Result::Unknown;
}
