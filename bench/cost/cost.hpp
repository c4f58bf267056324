// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The frame of the programs whose instructions are counted: cost_<path> SIZE, in one task.
//
// The size alone sets the work, so that the difference between two sizes is free of start and stop.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <weft/weft.h>

namespace weft::cost {

inline void must(int result) {
  if (result >= 0) [[likely]]
    return;
  std::fprintf(stderr, "a call of Weft failed: %s\n", std::strerror(-result));
  std::exit(1);
}

// The one argument, or the end of the program.
inline long size_of(int argc, char** argv) {
  char* end = nullptr;
  const long size = argc == 2 ? std::strtol(argv[1], &end, 10) : 0;
  if (size >= 1 && *end == '\0') return size;
  std::fprintf(stderr, "usage: %s SIZE\n", argv[0]);
  std::exit(2);
}

// Runs fn(size) in a task; it gives the number of operations, which is printed.
inline int run(int argc, char** argv, weft_fn_t fn) {
  const long size = size_of(argc, argv);
  weft_config_t config{};
  config.size = sizeof config;
  config.workers = 1;
  must(weft_start(&config));
  weft_task_t task = nullptr;
  void* operations = nullptr;
  must(weft_task_spawn(fn, reinterpret_cast<void*>(static_cast<intptr_t>(size)), &task));
  must(weft_task_join(task, &operations));
  must(weft_stop());
  std::printf("%lld\n", static_cast<long long>(reinterpret_cast<intptr_t>(operations)));
  return 0;
}

}  // namespace weft::cost
