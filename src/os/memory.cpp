// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Address space by mmap, madvise, mprotect and mincore.
#include "os/memory.hpp"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/atomic.hpp"
#include "os/errno_kept.hpp"

namespace weft::rt::os {

namespace {

// From Linux 6.13's <asm-generic/mman-common.h>; the headers that we build with may be older.
constexpr int advice_guard_install = 102;
constexpr int advice_guard_remove = 103;

bool advise(void* p, std::size_t bytes, int advice) noexcept {
  const errno_kept keep;
  return ::madvise(p, bytes, advice) == 0;
}

// Whether the kernel can read the word at p for us. It answers with EFAULT where an access of our
// own would be a fault. Blocking an empty set of signals changes nothing.
bool readable(const void* p) noexcept {
  const errno_kept keep;
  constexpr std::size_t kernel_set_bytes = 8;
  return ::syscall(SYS_rt_sigprocmask, SIG_BLOCK, p, nullptr, kernel_set_bytes) == 0;
}

// Valgrind reads the program's memory itself and dies of such a guard. It names itself here.
bool under_valgrind() noexcept {
  const char* preload = std::getenv("LD_PRELOAD");
  return preload != nullptr && std::strstr(preload, "/vgpreload_") != nullptr;
}

enum guard_support : std::uint32_t { unknown, absent, present };

// Installs one guard and looks whether it stands: qemu's user mode, for one, answers 0 to advice
// that it does not know. Where all new memory is locked (mlockall), that is undone first.
guard_support look_for_guards() noexcept {
  if (under_valgrind()) return absent;
  const std::size_t page = page_bytes();
  void* const p = reserve(page);
  if (p == nullptr) return unknown;
  const errno_kept keep;
  // Not by munlock(): the sanitizers make that one do nothing.
  const bool unlocked = ::syscall(SYS_munlock, p, page) == 0;
  // The first half of the test, so that a probe that never reads anything cannot pass the second.
  bool works = readable(p);
  works = works && advise(p, page, advice_guard_install) && !readable(p);
  works = works && advise(p, page, advice_guard_remove) && readable(p);
  (void)release(p, page);
  if (works) return present;
  return unlocked ? absent : unknown;
}

constinit atomic<std::uint32_t> guards{unknown};

// 0: nobody has asked. No guard of a static: a child that is forked meanwhile would find it held.
constinit atomic<std::size_t> bytes_of_page{0};

}  // namespace

std::size_t page_bytes() noexcept {
  std::size_t bytes = bytes_of_page.load_relaxed();  // hint: all are told the same
  if (bytes == 0) {
    bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    bytes_of_page.store_relaxed(bytes);  // hint: as above
  }
  return bytes;
}

void* reserve(std::size_t bytes) noexcept {
  const errno_kept keep;
  void* const p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}

bool release(void* p, std::size_t bytes) noexcept {
  const errno_kept keep;
  return ::munmap(p, bytes) == 0;
}

bool discard(void* p, std::size_t bytes) noexcept { return advise(p, bytes, MADV_DONTNEED); }

void no_huge_pages(void* p, std::size_t bytes) noexcept {
  (void)advise(p, bytes, MADV_NOHUGEPAGE);  // EINVAL: a kernel without huge pages
}

bool guard_install(void* p, std::size_t bytes) noexcept {
  // hint: two threads may both look, and see the same, or one finds no memory, and it is looked for
  //    again
  std::uint32_t support = guards.load_relaxed();
  if (support == unknown) {
    support = look_for_guards();
    guards.store_relaxed(support);  // hint: as above
  }
  return support == present && advise(p, bytes, advice_guard_install);
}

bool guard_remove(void* p, std::size_t bytes) noexcept {
  return advise(p, bytes, advice_guard_remove);
}

bool protect(void* p, std::size_t bytes) noexcept {
  const errno_kept keep;
  return ::mprotect(p, bytes, PROT_NONE) == 0;
}

bool unprotect(void* p, std::size_t bytes) noexcept {
  const errno_kept keep;
  return ::mprotect(p, bytes, PROT_READ | PROT_WRITE) == 0;
}

std::size_t resident_pages(const void* p, std::size_t bytes, unsigned char* vec) noexcept {
  const errno_kept keep;
  const std::size_t pages = bytes / page_bytes();
  int answer = 0;
  do {
    answer = ::mincore(const_cast<void*>(p), bytes, vec);
  } while (answer != 0 && errno == EAGAIN);  // the kernel is short of memory for a moment
  if (answer != 0) {
    std::memset(vec, 0, pages);
    return 0;
  }
  std::size_t resident = 0;
  for (std::size_t i = 0; i < pages; ++i) resident += vec[i] & 1u;
  return resident;
}

bool is_mapped(const void* p) noexcept {
  const errno_kept keep;
  unsigned char resident = 0;
  const auto at = reinterpret_cast<std::uintptr_t>(p) & ~(page_bytes() - 1);
  return ::mincore(reinterpret_cast<void*>(at), 1, &resident) == 0 || errno != ENOMEM;
}

}  // namespace weft::rt::os
