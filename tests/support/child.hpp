// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running something in a child process, and what came of it.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/build.hpp"

namespace weft::test {

struct outcome {
  int status;
  std::string errors;  // what it wrote to standard error

  bool exited_with(int code) const { return WIFEXITED(status) && WEXITSTATUS(status) == code; }
  bool killed_by(int signal) const { return WIFSIGNALED(status) && WTERMSIG(status) == signal; }
  // Sanitizers catch signals themselves and exit with a code of their own after their report.
  bool died_of(int signal) const {
    return killed_by(signal) || (sanitized && WIFEXITED(status) && WEXITSTATUS(status) != 0);
  }
  bool wrote(const std::string& text) const {
    return sanitized ? errors.find(text) != std::string::npos : errors == text;
  }
};

// Forks, runs body in the child, which exits with 0 if body returns.
template <class Body>
outcome in_child(Body body) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  std::fflush(nullptr);  // or the child writes it too
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    dup2(ends[1], STDERR_FILENO);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    body();
    _exit(0);
  }
  close(ends[1]);
  outcome o{};
  char piece[512];
  ssize_t n = 0;
  while ((n = read(ends[0], piece, sizeof piece)) > 0)
    o.errors.append(piece, static_cast<size_t>(n));
  close(ends[0]);
  waitpid(child, &o.status, 0);
  // An emulator adds a line of its own.
  const std::size_t emulator = o.errors.find("qemu: uncaught target signal");
  if (emulator != std::string::npos) o.errors.erase(emulator);
  return o;
}

}  // namespace weft::test
