// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transparent huge pages set to `always` for the life of an object, where the system lets us.
//
// The setting is the system's, so it must come back however the test ends: a process that outlives
// ours waits for the end of a pipe, which the kernel closes with us and our children, and writes
// the old value. A lock on the file keeps two tests from taking each other's value for the
// system's.
#pragma once

#include <cstddef>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weft::test {

class huge_pages_always {
 public:
  huge_pages_always() {
    file_ = open("/sys/kernel/mm/transparent_hugepage/enabled", O_RDWR | O_CLOEXEC);
    if (file_ < 0 || flock(file_, LOCK_EX) != 0) return;
    // As in "always [madvise] never".
    char text[64] = {};
    if (pread(file_, text, sizeof text - 1, 0) <= 0) return;
    const std::string all = text;
    const std::size_t from = all.find('[') + 1;
    const std::string before = all.substr(from, all.find(']') - from);
    int ends[2];
    if (pipe(ends) != 0) return;
    restorer_ = fork();
    if (restorer_ == 0) {
      setsid();  // what ends our group does not end it
      close(ends[1]);
      char nothing;
      while (read(ends[0], &nothing, 1) > 0) {
      }
      _exit(write_setting(before.c_str(), before.size()) ? 0 : 1);
    }
    close(ends[0]);
    end_ = ends[1];
    set_ = restorer_ > 0 && write_setting("always", 6);
  }
  huge_pages_always(const huge_pages_always&) = delete;
  huge_pages_always& operator=(const huge_pages_always&) = delete;
  ~huge_pages_always() {
    if (end_ >= 0) close(end_);
    if (restorer_ > 0) waitpid(restorer_, nullptr, 0);
    if (file_ >= 0) close(file_);
  }

  // False: not permitted, or a kernel without them.
  bool set() const { return set_; }

 private:
  bool write_setting(const char* text, std::size_t bytes) const {
    return pwrite(file_, text, bytes, 0) == static_cast<ssize_t>(bytes);
  }

  int file_ = -1;
  int end_ = -1;
  pid_t restorer_ = -1;
  bool set_ = false;
};

}  // namespace weft::test
