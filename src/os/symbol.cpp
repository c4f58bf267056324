// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names a code address as well as the program's dynamic symbols allow, or its file alone.
#include "os/symbol.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>

#include "os/errno_kept.hpp"
#include "os/line_reader.hpp"

namespace weft::rt::os {

namespace {

const char* base_name(const char* path) noexcept {
  const char* slash = std::strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

// Takes a number and the character behind it off the text.
std::uint64_t take_hex(const char*& at) noexcept {
  std::uint64_t n = 0;
  for (; *at != '\0'; ++at) {
    const char c = *at;
    const bool digit = c >= '0' && c <= '9';
    if (!digit && (c < 'a' || c > 'f')) break;
    n = n * 16 + static_cast<std::uint64_t>(digit ? c - '0' : c - 'a' + 10);
  }
  if (*at != '\0') ++at;
  return n;
}

// A line of /proc/self/maps:
//   7f11c2000000-7f11c2021000 r-xp 00001000 08:01 1234567    /usr/lib/libc.so.6
struct mapping {
  explicit mapping(const char* line) noexcept {
    start = take_hex(line);
    end = take_hex(line);
    line += std::strcspn(line, " ");  // what may be done there
    if (*line != '\0') ++line;
    offset = take_hex(line);
    device[0] = take_hex(line);
    device[1] = take_hex(line);
    inode = take_hex(line);  // digits of tens, which are as good to compare
    path = line + std::strspn(line, " ");
  }
  bool of_same_file(const mapping& other) const noexcept {
    return inode == other.inode && device[0] == other.device[0] && device[1] == other.device[1];
  }

  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t offset;  // in the file
  std::uint64_t device[2];
  std::uint64_t inode;
  const char* path;  // valid as long as the line
};

// False: nothing is shown there.
bool add_file_from(const char* directory, text& out, std::uintptr_t at) noexcept {
  line_reader maps("/proc/", directory, "/maps");
  bool shown = false;
  mapping first("");  // of the file that the lines are about: where the loader has put it
  for (const char* line = maps.next(); line != nullptr; line = maps.next()) {
    shown = true;
    const mapping here(line);
    if (here.offset == 0) first = here;
    if (at < here.start || at >= here.end) continue;
    if (here.path[0] != '/') break;
    const std::uint64_t into =
        here.of_same_file(first) ? at - first.start : at - here.start + here.offset;
    out.add(" (").printable(base_name(here.path), 100).add("+").hex(into).add(")");
    break;
  }
  return shown;
}

}  // namespace

void add_file(text& out, const void* code) noexcept {
  const errno_kept keep;
  const auto at = reinterpret_cast<std::uintptr_t>(code);
  // "self" shows nothing once the process's first thread has ended; an emulator shows only "self"
  // as the program sees it.
  if (!add_file_from("self", out, at)) (void)add_file_from("thread-self", out, at);
}

void add_symbol(text& out, const void* code) noexcept {
  out.pointer(code);
  Dl_info info{};
  if (dladdr(code, &info) == 0 || info.dli_fname == nullptr) return;
  const char* file = base_name(info.dli_fname);
  const auto* at = static_cast<const char*>(code);
  out.add(" (");
  if (info.dli_sname != nullptr) {
    out.printable(info.dli_sname, 200).add("+");
    out.hex(static_cast<std::uint64_t>(at - static_cast<const char*>(info.dli_saddr)));
    out.add(" in ").printable(file, 100);
  } else {
    out.printable(file, 100).add("+");
    out.hex(static_cast<std::uint64_t>(at - static_cast<const char*>(info.dli_fbase)));
  }
  out.add(")");
}

}  // namespace weft::rt::os
