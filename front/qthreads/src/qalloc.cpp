// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory in files: what is free is said in the file itself, so that it is there again when it is
// loaded.
//
// A file begins with a header; blocks follow. Free blocks are linked by offsets. Static maps have
// blocks of one size; dynamic ones have blocks of powers of two, each behind a word that says
// which. Where nothing fresh is left a larger free block of these is halved; halves are never
// joined.
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <new>
#include <qthread/qalloc.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "fork_handlers.hpp"

namespace {

constexpr uint64_t file_mark = 0x3170616d66657751;  // what a file of ours begins with
constexpr unsigned classes = 48;                    // of 1 << class bytes
constexpr std::size_t block_align = 16;

enum class map_kind : uint64_t { fixed = 1, sized = 2 };

struct header {
  uint64_t mark;
  map_kind kind;
  uint64_t bytes;
  uint64_t item_bytes;  // fixed: of a block
  uint64_t address;     // where it was mapped
  uint64_t fresh;       // offset of what was never used
  uint64_t free[classes];
};

constexpr std::size_t first_block = (sizeof(header) + block_align - 1) / block_align * block_align;

struct map {
  map* next = nullptr;
  char* base = nullptr;
  std::mutex lock;

  header& head() noexcept { return *reinterpret_cast<header*>(base); }

  // Under the lock: so many bytes from the class's list or the fresh end. 0: there are none.
  uint64_t take(unsigned list, uint64_t bytes) noexcept {
    header& h = head();
    const uint64_t at = h.free[list];
    if (at != 0) {
      std::memcpy(&h.free[list], base + at, sizeof at);
      return at;
    }
    if (bytes > h.bytes - h.fresh) return h.kind == map_kind::sized ? take_of_larger(list) : 0;
    const uint64_t fresh = h.fresh;
    h.fresh += bytes;
    return fresh;
  }
  // Of the smallest larger block that is free: what is not needed of it goes to the lists between.
  uint64_t take_of_larger(unsigned list) noexcept {
    header& h = head();
    unsigned larger = list + 1;
    while (larger < classes && h.free[larger] == 0) ++larger;
    if (larger >= classes) return 0;
    const uint64_t at = h.free[larger];
    std::memcpy(&h.free[larger], base + at, sizeof at);
    while (larger-- > list) give(larger, at + (uint64_t{1} << larger));
    return at;
  }
  void give(unsigned list, uint64_t at) noexcept {
    header& h = head();
    std::memcpy(base + at, &h.free[list], sizeof at);
    h.free[list] = at;
  }
};

std::mutex all_lock;
map* all = nullptr;

// Who forks has all locks: the child, which has no other thread, finds none that is held.
void hold_all() noexcept {
  all_lock.lock();
  for (map* m = all; m != nullptr; m = m->next) m->lock.lock();
}

void let_all_go() noexcept {
  for (map* m = all; m != nullptr; m = m->next) m->lock.unlock();
  all_lock.unlock();
}

constinit weft::qt::fork_handlers<hold_all, let_all_go, let_all_go> at_fork;

bool is_ours(const header& h, uint64_t file_bytes) noexcept {
  return h.mark == file_mark && h.bytes == file_bytes && h.fresh >= first_block &&
         h.fresh <= h.bytes && (h.kind == map_kind::sized || h.item_bytes >= sizeof(uint64_t));
}

// Maps the open file; at `where` exactly if that is given.
char* map_file(int fd, uint64_t bytes, uint64_t where) noexcept {
  const int fixed = where != 0 ? MAP_FIXED_NOREPLACE : 0;
  void* at = mmap(reinterpret_cast<void*>(where), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | fixed,
                  fd, 0);
  if (at == MAP_FAILED) return nullptr;
  if (where == 0 || at == reinterpret_cast<void*>(where)) return static_cast<char*>(at);
  munmap(at, bytes);
  errno = EEXIST;
  return nullptr;
}

// wanted: the header of a new file; null: there must be one.
char* open_file(const char* name, void* addr, const header* wanted) noexcept {
  const int fd = open(name, O_RDWR | O_CLOEXEC | (wanted != nullptr ? O_CREAT : 0), 0600);
  if (fd < 0) return nullptr;
  char* base = nullptr;
  struct stat st{};
  header h{};
  errno = EINVAL;
  if (fstat(fd, &st) != 0) {
    // errno says it
  } else if (st.st_size == 0 && wanted != nullptr) {
    if (ftruncate(fd, static_cast<off_t>(wanted->bytes)) == 0)
      base = map_file(fd, wanted->bytes, reinterpret_cast<uint64_t>(addr));
    if (base != nullptr) {
      std::memcpy(base, wanted, sizeof *wanted);
      reinterpret_cast<header*>(base)->address = reinterpret_cast<uint64_t>(base);
    } else {
      const int error = errno;
      (void)!ftruncate(fd, 0);  // empty again, so that another call may make it
      errno = error;
    }
  } else if (pread(fd, &h, sizeof h, 0) == sizeof h &&
             is_ours(h, static_cast<uint64_t>(st.st_size)) &&
             (wanted == nullptr ||
              (h.kind == wanted->kind && h.item_bytes == wanted->item_bytes))) {
    base = map_file(fd, h.bytes, h.address);
  }
  const int error = errno;
  close(fd);
  errno = error;
  return base;
}

map* add(const char* name, void* addr, const header* wanted) noexcept {
  auto* m = new (std::nothrow) map;
  if (m == nullptr || !at_fork.are_registered()) {
    delete m;
    errno = ENOMEM;
    return nullptr;
  }
  m->base = open_file(name, addr, wanted);
  if (m->base == nullptr) {
    delete m;
    return nullptr;
  }
  const std::lock_guard held(all_lock);
  m->next = all;
  all = m;
  return m;
}

map* make(off_t bytes, void* addr, const char* name, map_kind kind, std::size_t item) noexcept {
  header h{};
  h.mark = file_mark;
  h.kind = kind;
  h.bytes = static_cast<uint64_t>(bytes);
  h.fresh = first_block;
  if (kind == map_kind::fixed)
    h.item_bytes = (std::max(item, sizeof(uint64_t)) + block_align - 1) / block_align * block_align;
  if (name == nullptr || bytes < 0 || h.bytes < first_block || item > h.bytes) {
    errno = EINVAL;
    return nullptr;
  }
  return add(name, addr, &h);
}

map* of(void* m) noexcept { return static_cast<map*>(m); }

}  // namespace

void* qalloc_makestatmap(off_t const filesize, void* addr, char const* filename, size_t itemsize,
                         size_t const /*streams*/) {
  return make(filesize, addr, filename, map_kind::fixed, itemsize);
}

void* qalloc_makedynmap(off_t const filesize, void* addr, char const* filename,
                        size_t const /*streams*/) {
  return make(filesize, addr, filename, map_kind::sized, 0);
}

void* qalloc_loadmap(char const* filename) { return add(filename, nullptr, nullptr); }

void qalloc_checkpoint(void) {
  const std::lock_guard held(all_lock);
  for (map* m = all; m != nullptr; m = m->next) msync(m->base, m->head().bytes, MS_SYNC);
}

void qalloc_cleanup(void) {
  qalloc_checkpoint();
  const std::lock_guard held(all_lock);
  while (all != nullptr) {
    map* m = all;
    all = m->next;
    munmap(m->base, m->head().bytes);
    delete m;
  }
}

void* qalloc_statmalloc(mapinfo_t* where) {
  map* m = of(where);
  const std::lock_guard held(m->lock);
  const uint64_t at = m->take(0, m->head().item_bytes);
  return at != 0 ? m->base + at : nullptr;
}

void* qalloc_dynmalloc(dynmapinfo_t* where, size_t size) {
  map* m = of(where);
  if (size > (std::size_t{1} << (classes - 2))) return nullptr;
  const auto list =
      static_cast<unsigned>(std::bit_width(std::max(size + block_align, 2 * block_align) - 1));
  const std::lock_guard held(m->lock);
  const uint64_t at = m->take(list, uint64_t{1} << list);
  if (at == 0) return nullptr;
  const uint64_t which = list;
  std::memcpy(m->base + at, &which, sizeof which);
  return m->base + at + block_align;
}

void* qalloc_malloc(void* where, size_t size) {
  return of(where)->head().kind == map_kind::fixed
             ? qalloc_statmalloc(static_cast<mapinfo_t*>(where))
             : qalloc_dynmalloc(static_cast<dynmapinfo_t*>(where), size);
}

void qalloc_statfree(void* block, mapinfo_t* where) {
  if (block == nullptr) return;
  map* m = of(where);
  const std::lock_guard held(m->lock);
  m->give(0, static_cast<uint64_t>(static_cast<char*>(block) - m->base));
}

void qalloc_dynfree(void* block, dynmapinfo_t* where) {
  if (block == nullptr) return;
  map* m = of(where);
  char* const begin = static_cast<char*>(block) - block_align;
  const std::lock_guard held(m->lock);
  uint64_t list;
  std::memcpy(&list, begin, sizeof list);
  m->give(static_cast<unsigned>(list), static_cast<uint64_t>(begin - m->base));
}

void qalloc_free(void* block, void* where) {
  if (of(where)->head().kind == map_kind::fixed)
    qalloc_statfree(block, static_cast<mapinfo_t*>(where));
  else
    qalloc_dynfree(block, static_cast<dynmapinfo_t*>(where));
}
