//===- lib/Emulator/Driver/DriverStreams.cpp - Streams and events ---------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Streams and events. No work is ever pending: calls complete their work.
//
//===----------------------------------------------------------------------===//

#include "DriverState.h"

using namespace tessera::emu;
using namespace tessera::emu::driver;

CUresult driver::cuStreamCreate(CUstream *stream, unsigned) {
  Call call;
  if (CUresult error = call.checkContext())
    return error;
  auto created = std::make_unique<StreamState>();
  created->id = call->nextStream++;
  *stream = call->streams.add(std::move(created));
  return kSuccess;
}

CUresult driver::cuStreamDestroy_v2(CUstream stream) {
  Call call;
  return call->streams.remove(stream)
             ? kSuccess
             : fail(kInvalidHandle, "this is no stream");
}

CUresult driver::cuStreamSynchronize(CUstream stream) {
  return Call().checkStream(stream);
}

CUresult driver::cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  Call call;
  if (CUresult error = call.checkStream(stream))
    return error;
  return call->events.find(event) ? kSuccess
                                  : fail(kInvalidHandle, "this is no event");
}

CUresult driver::cuStreamGetId(CUstream stream, unsigned long long *id) {
  Call call;
  if (CUresult error = call.checkStream(stream))
    return error;
  StreamState *found = call->streams.find(stream);
  *id = found ? found->id : reinterpret_cast<uintptr_t>(stream);
  return kSuccess;
}

CUresult driver::cuStreamIsCapturing(CUstream stream, int *status) {
  Call call;
  if (CUresult error = call.checkStream(stream))
    return error;
  *status = 0;
  return kSuccess;
}

CUresult driver::cuEventCreate(CUevent *event, unsigned) {
  Call call;
  if (CUresult error = call.checkContext())
    return error;
  *event = call->events.add(std::make_unique<EventState>());
  return kSuccess;
}

CUresult driver::cuEventDestroy_v2(CUevent event) {
  Call call;
  return call->events.remove(event) ? kSuccess
                                    : fail(kInvalidHandle, "this is no event");
}

CUresult driver::cuEventRecord(CUevent event, CUstream stream) {
  Call call;
  if (CUresult error = call.checkStream(stream))
    return error;
  EventState *found = call->events.find(event);
  if (!found)
    return fail(kInvalidHandle, "this is no event");
  found->passed = std::chrono::steady_clock::now();
  return kSuccess;
}

CUresult driver::cuEventSynchronize(CUevent event) {
  Call call;
  return call->events.find(event) ? kSuccess
                                  : fail(kInvalidHandle, "this is no event");
}

CUresult driver::cuEventElapsedTime(float *milliseconds, CUevent from,
                                    CUevent to) {
  Call call;
  EventState *first = call->events.find(from), *last = call->events.find(to);
  if (!first || !last || !first->passed || !last->passed)
    return fail(kInvalidHandle, "both events must have been recorded");
  // The time of the host, which is unrelated to that of a device.
  *milliseconds =
      std::chrono::duration<float, std::milli>(*last->passed - *first->passed)
          .count();
  return kSuccess;
}
