// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Units of Converse, the layer of Charm++ below its objects: its threads (Cth), or messages for
// what never waits (BENCH_MESSAGES), which its manual calls the cheapest.
//
// A thread belongs to the processor (PE) that makes it: one for another PE is made there, by a
// handler of a message. Messages are sent and freed (CmiSyncSendAndFree), so that none is copied.
// Who waits keeps its PE's scheduler going: outside a thread by CsdSchedulePoll, in one by
// CthYield. Each thread has its stack from malloc.
#pragma once

#include <atomic>
#include <converse.h>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "adapters/kept_heap.hpp"
#include "adapters/queues.hpp"
#include "harness/report.hpp"

namespace weft::bench {

#ifdef BENCH_MESSAGES
inline constexpr const char* how = "messages, from the first processor";
#else
inline constexpr const char* how = "from the first processor";
#endif

// What is run and who is told; both the message and the thread have one.
struct converse_work {
  void (*run)(void*);
  void* arg;
  bool* done;

  void operator()() const {
    run(arg);
    std::atomic_ref<bool>(*done).store(true, std::memory_order_release);
  }
};

struct work_message {
  char header[CmiMsgHeaderSizeBytes];
  converse_work what;
};

// The same number on every PE: each registers both in turn.
inline int run_handler = 0;
inline int thread_handler = 0;

inline void run_work(void* message) {
  const converse_work what = static_cast<work_message*>(message)->what;
  CmiFree(message);
  what();
}

inline void register_handlers(int /*argc*/, char** /*argv*/) {
  const int runs = CmiRegisterHandler([](void* message) { run_work(message); });
  const int makes =
      CmiRegisterHandler([](void* message) { CthAwaken(CthCreate(run_work, message, 0)); });
  if (CmiMyPe() == 0) {
    run_handler = runs;
    thread_handler = makes;
  }
}

inline work_message* message_of(const converse_work& what) {
  auto* const m = static_cast<work_message*>(CmiAlloc(sizeof(work_message)));
  m->what = what;
  return m;
}

inline void send(uint32_t pe, int handler, const converse_work& what) {
  work_message* const m = message_of(what);
  CmiSetHandler(m, handler);
  CmiSyncSendAndFree(pe, sizeof *m, m);
}

// Converse wants to end the process itself, by a call that prints and waits, and aborts it where
// main returns: whoever returns from main ends here before that is noticed. The other PEs look for
// messages until then.
inline void end_with(int status, void* /*unused*/) {
  std::fflush(stdout);
  std::_Exit(status);
}

template <class Body>
void in_runtime(uint32_t workers, queues /*kind*/, Body body) {
  keep_the_heap();
  static std::string words[] = {BENCH_RUNTIME, "+p" + std::to_string(workers), "++quiet"};
  static char* argv[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  ConverseInit(3, argv, register_handlers, 0, 1);  // returns on the first PE, and only there
  on_exit(end_with, nullptr);
  register_handlers(3, argv);
  if (CmiNumPes() != static_cast<int>(workers)) die("Converse gives another number of processors");
  body();
}

class joinable {
 public:
  void join() {
    while (!std::atomic_ref<bool>(done_).load(std::memory_order_acquire)) {
      if (CthIsMainThread(CthSelf())) {
        CsdSchedulePoll();
      } else {
        CthYield();
      }
    }
  }

 protected:
  converse_work begin(void (*run)(void*), void* arg) {
    done_ = false;
    return {run, arg, &done_};
  }

 private:
  bool done_ = false;
};

class unit : public joinable {
 public:
  template <void (*Run)(void*)>
  void spawn_on(uint32_t worker, void* arg) {
    const converse_work what = begin(Run, arg);
    if (static_cast<int>(worker) == CmiMyPe()) {
      CthAwaken(CthCreate(run_work, message_of(what), 0));
    } else {
      send(worker, thread_handler, what);
    }
  }
  template <void (*Run)(void*)>
  void spawn(void* arg) {
    spawn_on<Run>(static_cast<uint32_t>(CmiMyPe()), arg);
  }
};

#ifdef BENCH_MESSAGES
class leaf : public joinable {
 public:
  template <void (*Run)(void*)>
  void spawn_on(uint32_t worker, void* arg) {
    send(worker, run_handler, begin(Run, arg));
  }
};
#else
using leaf = unit;
#endif

}  // namespace weft::bench

#include "adapters/units.hpp"
