//===- Meeting.cpp - Programs that wait for each other ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Meeting.h"

#include <pthread.h>

using namespace tessera::host;

void *Meeting::start(void *argument) {
  Member &member = *static_cast<Member *>(argument);
  Meeting &meeting = *member.meeting;
  std::unique_lock<std::mutex> lock(meeting.mutex);
  member.turn.wait(lock, [&] { return member.hasTurn; });
  if (!meeting.isStopped) {
    lock.unlock();
    meeting.program(member);
    lock.lock();
  }
  member.hasTurn = false;
  member.hasEnded = true;
  meeting.running = nullptr;
  meeting.pause.notify_one();
  return nullptr;
}

bool Meeting::meet(Member &member) {
  std::unique_lock<std::mutex> lock(mutex);
  if (isStopped)
    return false;
  member.hasTurn = false;
  running = nullptr;
  pause.notify_one();
  member.turn.wait(lock, [&] { return member.hasTurn; });
  return !isStopped;
}

void Meeting::giveTurn(Member &member) {
  std::unique_lock<std::mutex> lock(mutex);
  running = &member;
  member.hasTurn = true;
  member.turn.notify_one();
  pause.wait(lock, [&] { return !running; });
}

bool Meeting::run(uint64_t count, function_ref<void(Member &)> body,
                  function_ref<bool()> mayGoOn) {
  program = body;
  std::vector<pthread_t> threads;
  for (uint64_t i = 0; i < count && !isStopped; ++i) {
    members.push_back(std::make_unique<Member>());
    members.back()->meeting = this;
    members.back()->number = i;
    pthread_t thread;
    if (pthread_create(&thread, /*attr=*/nullptr, start, members.back().get()))
      isStopped = true;
    else
      threads.push_back(thread);
  }
  members.resize(threads.size());
  while (!isStopped && !members.empty() && !members.front()->hasEnded) {
    for (const std::unique_ptr<Member> &member : members) {
      isStopped = isStopped || !mayGoOn();
      if (!isStopped)
        giveTurn(*member);
    }
    for (const std::unique_ptr<Member> &member : members)
      isStopped |= member->hasEnded != members.front()->hasEnded;
  }
  for (auto [member, thread] : llvm::zip_equal(members, threads)) {
    if (!member->hasEnded)
      giveTurn(*member);
    pthread_join(thread, /*value=*/nullptr);
  }
  return !isStopped;
}
