//===- Tracer.cpp - Records a trace of the agents -------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Observes the agents of a simulation. A wait opens an interval, which closes
// when the warp completes the stage; an asynchronous operation opens one at
// issue, which closes with its effect. The end closes all open intervals, so
// the trace of a failing run ends with the failure.
//
//===----------------------------------------------------------------------===//

#include "Tracer.h"

#include "Cta.h"
#include "tessera/Support/SourcePlace.h"

using namespace tessera;
using namespace tessera::sim;

/// Returns the name of the row of a warp: from the start, it contains the role
/// that the warp will have.
static std::string getRow(const Warp &warp) {
  std::string row = "warp " + std::to_string(warp.getNumber());
  for (auto role :
       warp.getCta().getSimulation().kernel.getBody().getOps<sm::RoleOp>()) {
    unsigned first = role.getFirstWarp();
    if (warp.getNumber() >= first && warp.getNumber() < first + role.getWarps())
      row += " " + role.getName().str();
  }
  return row;
}

void Tracer::begin(Cta &cta) {
  for (unsigned i = 0, e = cta.getNumWarps(); i < e; ++i)
    trace.addRow(cta.getNumber(), getRow(cta.getWarp(i)));
}

void Tracer::close(unsigned cta, Open open, uint64_t end) {
  Trace::Slice slice{open.op->getName().getStringRef().str(),
                     open.begin,
                     std::max(end, open.begin + 1),
                     {{"place", printPlace(open.op)}}};
  if (!open.reason.empty())
    slice.details.push_back({"waits for", open.reason});
  trace.add(cta, open.row, std::move(slice));
}

void Tracer::wait(const Warp &warp, Operation *op) {
  Key key{warp.getCta().getNumber(), warp.getNumber()};
  if (waiting.count(key) == 0)
    waiting[key] = {op, time, getRow(warp), warp.describeWaiting()};
}

void Tracer::finish(const Warp &warp, Operation *op) {
  Key key{warp.getCta().getNumber(), warp.getNumber()};
  auto open = waiting.find(key);
  if (open == waiting.end() && isa<sm::RoleOp>(op))
    return;
  if (open == waiting.end())
    return close(key.first, {op, time - 1, getRow(warp), ""}, time);
  close(key.first, std::move(open->second), time);
  waiting.erase(open);
}

void Tracer::start(unsigned cta, uint32_t number, Operation *op) {
  bool isProduct = isa<sm::MmaOp, sm::MmaIssueOp>(op);
  inFlight[{cta, number}] = {op, time,
                             isProduct ? "tensor cores" : "tensor copies", ""};
}

void Tracer::takeEffect(unsigned cta, uint32_t number) {
  auto open = inFlight.find({cta, number});
  if (open == inFlight.end())
    return;
  close(cta, std::move(open->second), time);
  inFlight.erase(open);
}

const Trace &Tracer::end() {
  for (auto *unfinished : {&waiting, &inFlight}) {
    for (auto &[key, open] : *unfinished)
      close(key.first, std::move(open), time + 1);
    unfinished->clear();
  }
  return trace;
}
