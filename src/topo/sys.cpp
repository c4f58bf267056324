// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads which processors share what from the kernel's lists.
//
// A list names all that share a thing, so it is read for the first of them only; the thing's number
// is the least processor on its list, allowed or not.
#include "topo/sys.hpp"

#include <cstdlib>
#include <cstring>

#include "base/attributes.hpp"
#include "os/line_reader.hpp"
#include "os/text.hpp"

namespace weft::rt::topo {

namespace {

using field = uint32_t processor::*;

// Of a file that has one. False: there is none. Out of line, as all that reads: what it needs of
// the stack is not added up there.
WEFT_NOINLINE bool read_list(const char* root, const char* directory, const char* name,
                             os::cpu_set& out) noexcept {
  os::line_reader file(root, directory, name);
  const char* line = file.next();
  return line != nullptr && os::add_cpu_list(line, out);
}

// Of a file that begins with one; 0: it does not.
WEFT_NOINLINE unsigned read_number(const char* root, const char* directory,
                                   const char* name) noexcept {
  os::line_reader file(root, directory, name);
  const char* line = file.next();
  return line != nullptr ? static_cast<unsigned>(std::strtoul(line, nullptr, 10)) : 0;
}

// A CPU's files below /sys/devices/system/cpu.
class cpu_files {
 public:
  cpu_files(const char* root, uint32_t number) noexcept : root_(root) {
    directory_.add("/sys/devices/system/cpu/cpu").decimal(number);
  }
  // False: there is no such file, or nothing in it.
  bool list(const char* name, os::cpu_set& out) const noexcept {
    return read_list(root_, directory_.c_str(), name, out) && out.count() > 0;
  }
  // Of the cache with that index; 0: there is none.
  unsigned level(unsigned index) const noexcept {
    return read_number(root_, directory_.c_str(), cache_file(index, "level").c_str());
  }
  static os::text cache_file(unsigned index, const char* name) noexcept {
    os::text path;
    path.add("/cache/index").decimal(index).add("/").add(name);
    return path;
  }

 private:
  const char* root_;
  os::text directory_;
};

void share(machine& m, field what, const os::cpu_set& who) noexcept {
  const uint32_t number = who.next(0);
  for (processor& p : m.processors)
    if (who.has(p.number)) p.*what = number;
}

// By the newer or the older of a file's two names.
bool read_shared(const cpu_files& files, const char* name, const char* older, machine& m,
                 field what) noexcept {
  os::cpu_set who;
  if (!files.list(name, who) && !files.list(older, who)) return false;
  share(m, what, who);
  return true;
}

void read_caches(const cpu_files& files, machine& m, const processor& p) noexcept {
  constexpr unsigned most = 16;
  for (unsigned index = 0; index < most; ++index) {
    const unsigned level = files.level(index);
    if (level == 0) return;
    const field what = level == 2 ? &processor::l2 : &processor::l3;
    if ((level != 2 && level != 3) || p.*what != nothing) continue;
    os::cpu_set who;
    if (files.list(cpu_files::cache_file(index, "shared_cpu_list").c_str(), who))
      share(m, what, who);
  }
}

// The numbers in a file such as "10 21", at most `room` of them.
WEFT_NOINLINE void read_row(const char* root, const char* directory, uint16_t* row,
                            uint32_t room) noexcept {
  os::line_reader file(root, directory, "/distance");
  const char* at = file.next();
  for (uint32_t i = 0; at != nullptr && i < room; ++i) {
    char* end = nullptr;
    row[i] = static_cast<uint16_t>(std::strtoul(at, &end, 10));
    at = end;
  }
}

os::text node_directory(uint32_t node) noexcept {
  os::text directory;
  directory.add("/sys/devices/system/node/node").decimal(node);
  return directory;
}

// A kernel without these files has one memory.
bool read_nodes(const char* root, machine& m) noexcept {
  os::cpu_set nodes;
  if (!read_list(root, "/sys/devices/system/node", "/online", nodes) || nodes.count() < 2)
    return true;
  // Rows stand in the order of the nodes' numbers, which may have holes.
  m.nodes = nodes.count();
  if (!m.node_distances.make(std::size_t{m.nodes} * m.nodes)) return false;
  uint32_t i = 0;
  for (uint32_t n = nodes.next(0); n < os::cpu_set::most; n = nodes.next(n + 1), ++i) {
    const os::text directory = node_directory(n);
    os::cpu_set who;
    if (read_list(root, directory.c_str(), "/cpulist", who))
      for (processor& p : m.processors)
        if (who.has(p.number)) p.node = i;
    read_row(root, directory.c_str(), &m.node_distances[std::size_t{i} * m.nodes], m.nodes);
  }
  return true;
}

// Cores are known by their own number, and share nothing but the one memory, until somebody says
// more.
bool list_processors(const os::cpu_set& allowed, machine& out) noexcept {
  if (!out.processors.make(allowed.count())) return false;
  std::size_t i = 0;
  for (uint32_t cpu = allowed.next(0); cpu < os::cpu_set::most; cpu = allowed.next(cpu + 1))
    out.processors[i++] = {cpu, nothing, nothing, nothing, 0, nothing, 0};
  return i > 0;
}

}  // namespace

bool read_sys(const char* root, const os::cpu_set& allowed, machine& out) noexcept {
  if (!list_processors(allowed, out)) return false;
  for (const processor& p : out.processors) {
    if (p.core != nothing) continue;  // its caches are its core's
    const cpu_files files(root, p.number);
    if (!read_shared(files, "/topology/core_cpus_list", "/topology/thread_siblings_list", out,
                     &processor::core) ||
        p.core == nothing)
      return false;
    if (p.package == nothing)
      (void)read_shared(files, "/topology/package_cpus_list", "/topology/core_siblings_list", out,
                        &processor::package);
    read_caches(files, out, p);
  }
  if (!read_nodes(root, out)) return false;
  arrange(out);
  return true;
}

bool read_flat(const os::cpu_set& allowed, machine& out) noexcept {
  if (!list_processors(allowed, out)) return false;
  for (processor& p : out.processors) p.core = p.number;
  arrange(out);
  return true;
}

}  // namespace weft::rt::topo
