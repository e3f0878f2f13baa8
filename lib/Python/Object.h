//===- Object.h - Owned references to Python objects ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Python's headers, limited to the stable interface of Python 3.10 and later,
// and a reference that is released automatically.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_PYTHON_OBJECT_H
#define TESSERA_LIB_PYTHON_OBJECT_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>

#include <utility>

namespace tessera::python {

/// An owned reference, or none. The interpreter's lock must be held.
class Object {
public:
  Object() = default;
  Object(Object &&other) : object(std::exchange(other.object, nullptr)) {}
  Object(const Object &) = delete;
  Object &operator=(Object other) {
    std::swap(object, other.object);
    return *this;
  }
  ~Object() { Py_XDECREF(object); }

  /// Takes ownership of the result of a function; null means its error.
  static Object take(PyObject *object) { return Object(object); }
  static Object share(PyObject *object) {
    Py_XINCREF(object);
    return Object(object);
  }

  PyObject *get() const { return object; }
  PyObject *release() { return std::exchange(object, nullptr); }
  explicit operator bool() const { return object; }

private:
  explicit Object(PyObject *object) : object(object) {}

  PyObject *object = nullptr;
};

} // namespace tessera::python

#endif // TESSERA_LIB_PYTHON_OBJECT_H
