//===- DriverState.cpp - State of the driver ------------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of the driver, contexts, and the names of errors. The current
// context and the last error are state of each thread, like in the machine's
// driver.
//
//===----------------------------------------------------------------------===//

#include "DriverState.h"

using namespace tessera::emu;
using namespace tessera::emu::driver;

namespace {
/// State of each thread, like in the machine's driver.
struct ThreadState {
  CUcontext context = nullptr;
  CUresult error = kSuccess;
  std::string text;
};
} // namespace

static thread_local ThreadState threadState;
/// The target of the handle of the only context.
static char primaryContext;

State &driver::getState() {
  static State *state = new State;
  return *state;
}

CUresult driver::fail(CUresult code, const Twine &text) {
  threadState.error = code;
  threadState.text = text.str();
  return code;
}

Function *State::findFunction(CUfunction function) {
  auto it = functions.find(function);
  return it == functions.end() ? nullptr : it->second;
}

bool State::isStream(CUstream stream) const {
  // The default streams, by value.
  return reinterpret_cast<uintptr_t>(stream) <= 2 || streams.find(stream);
}

CUresult Call::checkContext() const {
  if (!state.isInitialized)
    return fail(kNotInitialized, "cuInit was not called");
  if (!threadState.context)
    return fail(kInvalidContext, "no context is current in this thread");
  return kSuccess;
}

CUresult Call::checkStream(CUstream stream) const {
  if (CUresult error = checkContext())
    return error;
  return state.isStream(stream) ? kSuccess
                                : fail(kInvalidHandle, "this is no stream");
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static const char *getErrorName(CUresult error) {
  switch (error) {
  case kSuccess:
    return "CUDA_SUCCESS";
  case kInvalidValue:
    return "CUDA_ERROR_INVALID_VALUE";
  case kOutOfMemory:
    return "CUDA_ERROR_OUT_OF_MEMORY";
  case kNotInitialized:
    return "CUDA_ERROR_NOT_INITIALIZED";
  case kNoDevice:
    return "CUDA_ERROR_NO_DEVICE";
  case kInvalidDevice:
    return "CUDA_ERROR_INVALID_DEVICE";
  case kInvalidContext:
    return "CUDA_ERROR_INVALID_CONTEXT";
  case kNoBinaryForGpu:
    return "CUDA_ERROR_NO_BINARY_FOR_GPU";
  case kInvalidPTX:
    return "CUDA_ERROR_INVALID_PTX";
  case kInvalidHandle:
    return "CUDA_ERROR_INVALID_HANDLE";
  case kNotFound:
    return "CUDA_ERROR_NOT_FOUND";
  case kLaunchOutOfResources:
    return "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES";
  case kLaunchFailed:
    return "CUDA_ERROR_LAUNCH_FAILED";
  case kCooperativeLaunchTooLarge:
    return "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE";
  case kNotSupported:
    return "CUDA_ERROR_NOT_SUPPORTED";
  case kInvalidClusterSize:
    return "CUDA_ERROR_INVALID_CLUSTER_SIZE";
  }
  return nullptr;
}

CUresult driver::cuGetErrorName(CUresult error, const char **name) {
  *name = getErrorName(error);
  return *name ? kSuccess : kInvalidValue;
}

CUresult driver::cuGetErrorString(CUresult error, const char **text) {
  *text = nullptr;
  if (!getErrorName(error))
    return kInvalidValue;
  *text = error != kSuccess && error == threadState.error
              ? threadState.text.c_str()
              : "";
  return kSuccess;
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

CUresult driver::cuInit(unsigned flags) {
  Call call;
  if (flags != 0)
    return fail(kInvalidValue, "the flags must be 0");
  call->isInitialized = true;
  return kSuccess;
}

CUresult driver::cuDriverGetVersion(int *version) {
  *version = 13000;
  return kSuccess;
}

CUresult driver::cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  Call call;
  if (!call->isInitialized)
    return fail(kNotInitialized, "cuInit was not called");
  if (CUresult error = checkDevice(device))
    return error;
  *context = &primaryContext;
  return kSuccess;
}

CUresult driver::cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return checkDevice(device);
}

CUresult driver::cuCtxGetCurrent(CUcontext *context) {
  Call call;
  if (!call->isInitialized)
    return fail(kNotInitialized, "cuInit was not called");
  *context = threadState.context;
  return kSuccess;
}

CUresult driver::cuCtxSetCurrent(CUcontext context) {
  if (context && context != &primaryContext)
    return fail(kInvalidContext, "this is no context of the emulator");
  threadState.context = context;
  return kSuccess;
}

CUresult driver::cuCtxSynchronize() { return Call().checkContext(); }
