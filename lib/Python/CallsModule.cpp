//===- CallsModule.cpp - Planned calls from Python --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The module tessera_calls: a fast path for calls whose arguments resemble
// those of an earlier call. The plan is found by a hash of the arguments
// (memoization). First calls, their checks and their errors are in Python; see
// python/tessera/native.py, the only user of the module.
//
//===----------------------------------------------------------------------===//

#include "Plans.h"
#include "tessera-c/Runtime.h"

#include <new>

using namespace tessera::python;

/// More than the tensors of any kernel.
static constexpr size_t kMostTensors = 96;

namespace {

/// The plans of a kernel, and the objects that its calls need.
struct State {
  TensorLibrary library;
  /// Keep the objects of `library` alive.
  Object tensor, parameter, dtype, isNegated, exchange;
  /// Functions of Python. Their arguments are: a pattern; an ordinal; a stream
  /// and an ordinal; a status, which the function raises.
  Object allocate, currentStream, streamHandle, fail;
  /// Creates an output by its shape, strides and type on the current device, in
  /// less time than `allocate`; None if there is no such function.
  Object quick;
  /// Returns the ordinal of the current device; None if there is one device.
  Object currentDevice;
  decltype(&tessera_prepared_launch_at) launchAt = nullptr;
  size_t mostPlans = 0;
  Plans plans;
};

/// The object of Python.
struct Calls {
  PyObject base;
  State *state;
};

} // namespace

static PyObject *notImplemented() {
  Py_INCREF(Py_NotImplemented);
  return Py_NotImplemented;
}

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

static PyObject *make(PyTypeObject *type, PyObject *arguments, PyObject *) {
  PyObject *tensor, *parameter, *dtype, *isNegated, *exchange, *allocate,
      *quick, *currentDevice, *currentStream, *streamHandle, *fail;
  unsigned long long launchAt;
  Py_ssize_t mostPlans;
  if (!PyArg_ParseTuple(arguments, "OOOOOOOOOOOKn", &tensor, &parameter, &dtype,
                        &isNegated, &exchange, &allocate, &quick,
                        &currentDevice, &currentStream, &streamHandle, &fail,
                        &launchAt, &mostPlans))
    return nullptr;
  void *newest = PyCapsule_GetPointer(exchange, dlpack::kCapsuleName);
  if (!newest)
    return nullptr;
  const dlpack::ExchangeTable *table = dlpack::findTable(newest);
  if (!table) {
    PyErr_SetString(PyExc_NotImplementedError,
                    "the tensors have no version 1 of DLPack's exchange");
    return nullptr;
  }
  auto allocateObject =
      reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  Object made = Object::take(allocateObject(type, 0));
  if (!made)
    return nullptr;
  auto *state = new (std::nothrow) State;
  if (!state)
    return PyErr_NoMemory();
  reinterpret_cast<Calls *>(made.get())->state = state;
  auto asType = [](PyObject *object) {
    return reinterpret_cast<PyTypeObject *>(object);
  };
  state->library = {asType(tensor), asType(parameter), asType(dtype), isNegated,
                    table};
  state->tensor = Object::share(tensor);
  state->parameter = Object::share(parameter);
  state->dtype = Object::share(dtype);
  state->isNegated = Object::share(isNegated);
  state->exchange = Object::share(exchange);
  state->allocate = Object::share(allocate);
  state->quick = Object::share(quick);
  state->currentDevice = Object::share(currentDevice);
  state->currentStream = Object::share(currentStream);
  state->streamHandle = Object::share(streamHandle);
  state->fail = Object::share(fail);
  state->launchAt = reinterpret_cast<decltype(state->launchAt)>(
      static_cast<uintptr_t>(launchAt));
  state->mostPlans = mostPlans;
  return made.release();
}

static void destroy(PyObject *self) {
  delete reinterpret_cast<Calls *>(self)->state;
  PyTypeObject *type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

//===----------------------------------------------------------------------===//
// Keeping plans
//===----------------------------------------------------------------------===//

/// Reads a sequence of positions in the pool. Returns false with an error.
static bool readPositions(PyObject *sequence, std::vector<size_t> &positions) {
  Object tuple = Object::take(PySequence_Tuple(sequence));
  if (!tuple)
    return false;
  for (Py_ssize_t i = 0; i < PyTuple_Size(tuple.get()); ++i) {
    positions.push_back(PyLong_AsSize_t(PyTuple_GetItem(tuple.get(), i)));
    if (PyErr_Occurred())
      return false;
  }
  return true;
}

static PyObject *keepPlan(State &state, PyObject *arguments) {
  PyObject *values, *named, *tensors, *results, *quick, *patterns, *launch,
      *ordinal;
  unsigned long long prepared;
  if (!PyArg_ParseTuple(arguments, "O!O!OOO!O!OKO", &PyTuple_Type, &values,
                        &PyDict_Type, &named, &tensors, &results, &PyTuple_Type,
                        &quick, &PyTuple_Type, &patterns, &launch, &prepared,
                        &ordinal))
    return nullptr;
  if (PyTuple_Size(quick) != PyTuple_Size(patterns)) {
    PyErr_SetString(PyExc_ValueError, "expected as many of each for outputs");
    return nullptr;
  }
  CallReader reader(state.library);
  CallReader::Result read = reader.read(values, named);
  if (read == CallReader::Result::Error)
    return nullptr;
  if (read == CallReader::Result::Unknown)
    Py_RETURN_FALSE;
  auto plan = std::make_shared<Plan>();
  plan->key = reader.getKey().copy();
  plan->launch = Object::share(launch);
  plan->prepared =
      reinterpret_cast<const void *>(static_cast<uintptr_t>(prepared));
  plan->ordinal = Object::share(ordinal);
  if (!readPositions(tensors, plan->tensors) ||
      !readPositions(results, plan->results))
    return nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_Size(patterns); ++i)
    plan->outputs.emplace_back(Object::share(PyTuple_GetItem(quick, i)),
                               Object::share(PyTuple_GetItem(patterns, i)));
  if (plan->tensors.size() > kMostTensors)
    Py_RETURN_FALSE;
  size_t poolSize = reader.size() + plan->outputs.size();
  for (const std::vector<size_t> &positions : {plan->tensors, plan->results})
    for (size_t position : positions)
      if (position >= poolSize) {
        PyErr_SetString(PyExc_IndexError, "a position is beyond the arguments");
        return nullptr;
      }
  state.plans.keep(reader.getKey(), std::move(plan), state.mostPlans);
  Py_RETURN_TRUE;
}

static PyObject *keep(PyObject *self, PyObject *arguments) {
  try {
    return keepPlan(*reinterpret_cast<Calls *>(self)->state, arguments);
  } catch (const std::bad_alloc &) {
    return PyErr_NoMemory();
  }
}

static Py_ssize_t countPlans(PyObject *self) {
  return reinterpret_cast<Calls *>(self)->state->plans.size();
}

//===----------------------------------------------------------------------===//
// Calling
//===----------------------------------------------------------------------===//

/// Reads the stream of a call as a number. Returns false with an error.
static bool findStream(const State &state, const Plan &plan, PyObject *given,
                       uint64_t &stream) {
  Object handle = Object::take(
      given ? PyObject_CallFunctionObjArgs(state.streamHandle.get(), given,
                                           plan.ordinal.get(), nullptr)
            : PyObject_CallFunctionObjArgs(state.currentStream.get(),
                                           plan.ordinal.get(), nullptr));
  if (!handle)
    return false;
  stream = PyLong_AsUnsignedLongLong(handle.get());
  return !PyErr_Occurred();
}

/// Creates the outputs of a call. Returns false with an error.
static bool makeOutputs(const State &state, const Plan &plan,
                        std::vector<Object> &made) {
  if (plan.outputs.empty())
    return true;
  bool isQuick = state.quick.get() != Py_None;
  if (isQuick && state.currentDevice.get() != Py_None) {
    Object current = Object::take(
        PyObject_CallFunctionObjArgs(state.currentDevice.get(), nullptr));
    int isCurrent =
        current
            ? PyObject_RichCompareBool(current.get(), plan.ordinal.get(), Py_EQ)
            : -1;
    if (isCurrent < 0)
      return false;
    isQuick = isCurrent;
  }
  for (const auto &[arguments, pattern] : plan.outputs) {
    made.push_back(Object::take(
        isQuick ? PyObject_Call(state.quick.get(), arguments.get(), nullptr)
                : PyObject_CallFunctionObjArgs(state.allocate.get(),
                                               pattern.get(), nullptr)));
    if (!made.back())
      return false;
  }
  return true;
}

static PyObject *run(const State &state, const Plan &plan,
                     const CallReader &call) {
  uint64_t addresses[kMostTensors];
  size_t numGiven = call.size(), numTensors = plan.tensors.size();
  std::vector<Object> made;
  made.reserve(plan.outputs.size());
  if (!makeOutputs(state, plan, made))
    return nullptr;
  for (size_t i = 0; i < numTensors; ++i) {
    size_t position = plan.tensors[i];
    if (position < numGiven)
      addresses[i] = call.getAddress(position);
    else if (!state.library.readAddress(made[position - numGiven].get(),
                                        addresses[i]))
      return nullptr;
  }
  uint64_t stream;
  if (!findStream(state, plan, call.getStream(), stream))
    return nullptr;
  // A launch on a full queue waits for the device.
  PyThreadState *thread = PyEval_SaveThread();
  tessera_status status =
      state.launchAt(static_cast<const tessera_prepared *>(plan.prepared),
                     addresses, numTensors, stream);
  PyEval_RestoreThread(thread);
  if (status) {
    // Raises the error of the status.
    Object::take(
        PyObject_CallFunction(state.fail.get(), "i", static_cast<int>(status)));
    return nullptr;
  }
  auto get = [&](size_t position) {
    return position < numGiven ? call.getValue(position)
                               : made[position - numGiven].get();
  };
  if (plan.results.empty())
    Py_RETURN_NONE;
  if (plan.results.size() == 1)
    return Object::share(get(plan.results[0])).release();
  Object tuple = Object::take(PyTuple_New(plan.results.size()));
  for (size_t i = 0; i < plan.results.size() && tuple; ++i)
    // The tuple takes ownership of the reference.
    PyTuple_SetItem(tuple.get(), i,
                    Object::share(get(plan.results[i])).release());
  return tuple.release();
}

static PyObject *makeCall(PyObject *self, PyObject *const *arguments,
                          Py_ssize_t count) {
  if (count != 2 || !PyTuple_Check(arguments[0]) ||
      !PyDict_Check(arguments[1])) {
    PyErr_SetString(PyExc_TypeError, "expected a tuple and a dict");
    return nullptr;
  }
  const State &state = *reinterpret_cast<Calls *>(self)->state;
  try {
    CallReader reader(state.library);
    switch (reader.read(arguments[0], arguments[1])) {
    case CallReader::Result::Error:
      return nullptr;
    case CallReader::Result::Unknown:
      return notImplemented();
    case CallReader::Result::Read:
      break;
    }
    std::shared_ptr<const Plan> plan = state.plans.find(reader.getKey());
    return plan ? run(state, *plan, reader) : notImplemented();
  } catch (const std::bad_alloc &) {
    return PyErr_NoMemory();
  }
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

PyMODINIT_FUNC PyInit_tessera_calls() {
  static PyMethodDef methods[] = {
      {"call",
       reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(makeCall)),
       METH_FASTCALL,
       "call(values, named): makes a call whose plan is kept and returns its "
       "outputs; NotImplemented for others."},
      {"keep", keep, METH_VARARGS,
       "keep(values, named, tensors, results, quick, patterns, launch, "
       "prepared, ordinal): keeps a plan for calls alike. Returns whether it "
       "does."},
      {nullptr, nullptr, 0, nullptr}};
  static PyType_Slot slots[] = {
      {Py_tp_new, reinterpret_cast<void *>(make)},
      {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
      {Py_tp_methods, methods},
      {Py_mp_length, reinterpret_cast<void *>(countPlans)},
      {0, nullptr}};
  static PyType_Spec spec = {"tessera_calls.Calls", sizeof(Calls), 0,
                             Py_TPFLAGS_DEFAULT, slots};
  static PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                   "tessera_calls",
                                   nullptr,
                                   -1,
                                   nullptr,
                                   nullptr,
                                   nullptr,
                                   nullptr,
                                   nullptr};
  Object module = Object::take(PyModule_Create(&definition));
  Object type = Object::take(PyType_FromSpec(&spec));
  if (!module || !type ||
      PyModule_AddObjectRef(module.get(), "Calls", type.get()) ||
      // Version of the interface to native.py.
      PyModule_AddIntConstant(module.get(), "VERSION", 2))
    return nullptr;
  return module.release();
}
