// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads small files of the kernel's, a line at a time, without allocation.
#pragma once

#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <initializer_list>
#include <sys/types.h>
#include <unistd.h>

namespace weft::rt::os {

// Reads a file line by line through a fixed buffer. A longer line is cut; the parts of a mountinfo
// line that can be that long (options of overlays) come after those that we need.
class line_reader {
 public:
  line_reader(const char* root, const char* directory, const char* name) noexcept {
    std::size_t length = 0;  // of the path, which lies where the lines will
    for (const char* part : {root, directory, name}) {
      const std::size_t more = std::strlen(part);
      if (length + more >= PATH_MAX) return;  // reads as an empty file
      std::memcpy(line_ + length, part, more + 1);
      length += more;
    }
    fd_ = ::open(line_, O_RDONLY | O_CLOEXEC);
  }
  bool is_open() const noexcept { return fd_ >= 0; }
  ~line_reader() noexcept {
    if (fd_ >= 0) (void)::close(fd_);
  }
  line_reader(const line_reader&) = delete;
  line_reader& operator=(const line_reader&) = delete;

  // The next line without its newline, valid until the next call; nullptr at the end.
  char* next() noexcept {
    std::size_t length = 0;
    bool any = false;
    for (int c = get(); c >= 0; c = get()) {
      any = true;
      if (c == '\n') break;
      if (length + 1 < sizeof line_) line_[length++] = static_cast<char>(c);
    }
    line_[length] = '\0';
    return any ? line_ : nullptr;
  }

 private:
  int get() noexcept {
    if (at_ == filled_) {
      ssize_t n = -1;
      do {
        n = fd_ < 0 ? 0 : ::read(fd_, block_, sizeof block_);
      } while (n < 0 && errno == EINTR);
      if (n <= 0) return -1;
      at_ = 0;
      filled_ = static_cast<std::size_t>(n);
    }
    return static_cast<unsigned char>(block_[at_++]);
  }

  int fd_ = -1;
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
  char block_[1024];
  char line_[PATH_MAX + 512];
};

}  // namespace weft::rt::os
