// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code addresses are named by their symbol, or by their file without a lock of the loader's.
#include "os/symbol.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

#include "support/child.hpp"

namespace weft::rt::os {
namespace {

__attribute__((noinline)) int nowhere_exported(int n) { return n + 1; }
const void* const local_code = reinterpret_cast<const void*>(nowhere_exported);

std::string file_of(const void* code) {
  text out;
  add_file(out, code);
  return out.c_str();
}

TEST(symbol, a_file_is_told_as_where_no_symbol_is_known) {
  text with_symbols;
  add_symbol(with_symbols, local_code);
  text with_file;
  with_file.pointer(local_code);
  add_file(with_file, local_code);
  EXPECT_STREQ(with_file.c_str(), with_symbols.c_str());
}

TEST(symbol, a_library_is_told) {
  const void* const there = reinterpret_cast<const void*>(::getpagesize);
  Dl_info info{};
  ASSERT_NE(dladdr(there, &info), 0);
  const std::string path = info.dli_fname;
  text expected;
  expected.add(" (").add(path.substr(path.rfind('/') + 1).c_str()).add("+");
  expected.hex(reinterpret_cast<std::uintptr_t>(there) -
               reinterpret_cast<std::uintptr_t>(info.dli_fbase));
  EXPECT_EQ(file_of(there), expected.add(")").c_str());
}

TEST(symbol, an_address_of_no_file_has_none) {
  void* const heap = std::calloc(1, 1 << 20);
  EXPECT_EQ(file_of(heap), "");
  EXPECT_EQ(file_of(nullptr), "");
  EXPECT_EQ(file_of(&errno), "");
  std::free(heap);
}

TEST(symbol, a_file_is_told_when_the_first_thread_has_ended) {
  if (weft::test::emulated) GTEST_SKIP() << "the emulator goes on showing what is mapped";
  const auto o = weft::test::in_child([] {
    std::thread([] {
      while (std::ifstream("/proc/self/maps").peek() != EOF) std::this_thread::yield();
      _exit(file_of(local_code).empty() ? 1 : 42);
    }).detach();
    (void)syscall(SYS_exit, 0);  // pthread_exit would unwind through the test's frames
  });
  EXPECT_TRUE(o.exited_with(42)) << o.status << o.errors;
}

TEST(symbol, a_process_that_can_open_no_file_tells_none_and_keeps_errno) {
  const auto o = weft::test::in_child([] {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_NOFILE, &none);
    errno = ENOTTY;
    text out;
    add_file(out, local_code);
    _exit(out.length() == 0 && errno == ENOTTY ? 42 : 1);
  });
  EXPECT_TRUE(o.exited_with(42)) << o.status;
}

}  // namespace
}  // namespace weft::rt::os
