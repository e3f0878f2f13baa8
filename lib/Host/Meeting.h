//===- Meeting.h - Programs that wait for each other ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs that meet at barriers of the grid. Each has a thread, for its stack;
// one thread runs at a time, so accesses need no locks and results do not
// depend on the machine.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_HOST_MEETING_H
#define TESSERA_LIB_HOST_MEETING_H

#include "tessera/Support/LLVM.h"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace tessera::host {

class Meeting {
public:
  /// A program. Code has its address in the word kMemberWord of its state.
  struct Member {
    Meeting *meeting = nullptr;
    uint64_t number = 0;
    std::condition_variable turn;
    bool hasTurn = false, hasEnded = false;
  };

  /// Runs `program` with each member, from one barrier to the next, in
  /// ascending order. Calls `mayGoOn` before each turn. Fails if that returns
  /// false, if a program ends while another one waits, or if the system has too
  /// few threads. Waiting programs then run to their end without further waits.
  bool run(uint64_t count, function_ref<void(Member &)> program,
           function_ref<bool()> mayGoOn);

  /// Waits until all programs have come. Returns false if they do not come.
  bool meet(Member &member);

private:
  static void *start(void *member);
  /// Lets a member run to its next barrier or its end.
  void giveTurn(Member &member);

  std::mutex mutex;
  std::condition_variable pause;
  Member *running = nullptr;
  bool isStopped = false;
  function_ref<void(Member &)> program;
  std::vector<std::unique_ptr<Member>> members;
};

} // namespace tessera::host

#endif // TESSERA_LIB_HOST_MEETING_H
