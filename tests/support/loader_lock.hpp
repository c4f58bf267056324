// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread that has the loader's lock, as while a library's constructor runs.
#pragma once

#include <cerrno>
#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace weft::test {

// In a child process, until its end: a thread in dlopen has the lock until it has read from a pipe
// what nobody writes.
inline void hold_the_lock_of_the_loader() {
  std::string pipe = (testing::TempDir() + "weft_loader_lock_") + std::to_string(getpid());
  if (mkfifo(pipe.c_str(), 0600) != 0) _exit(103);
  std::thread([pipe] { (void)dlopen(pipe.c_str(), RTLD_NOW); }).detach();
  while (open(pipe.c_str(), O_WRONLY | O_NONBLOCK) < 0) {  // until it is there to read
    if (errno != ENXIO) _exit(104);
    std::this_thread::yield();
  }
  unlink(pipe.c_str());
}

}  // namespace weft::test
