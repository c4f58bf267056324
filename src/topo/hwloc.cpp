// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asks hwloc, which is loaded at the first question.
#include "topo/hwloc.hpp"

#include "os/errno_kept.hpp"
#include "os/library.hpp"
#include "topo/hwloc_abi.hpp"

namespace weft::rt::topo {

namespace {

struct functions {
  hwloc::topology_init* init;
  hwloc::topology_set_synthetic* set_synthetic;
  hwloc::topology_load* load;
  hwloc::topology_destroy* destroy;
  hwloc::get_type_depth* type_depth;
  hwloc::get_obj_by_depth* obj_by_depth;
  hwloc::bitmap_first* bitmap_first;
  hwloc::distances_get_by_type* distances_by_type;
  hwloc::distances_release* distances_release;

  bool find() noexcept {
    const os::library lib(hwloc::library_name);
    if (!lib.loaded()) return false;
    hwloc::get_api_version* version = nullptr;
    return lib.find("hwloc_get_api_version", version) && version() >> 16 == hwloc::api_version &&
           lib.find("hwloc_topology_init", init) &&
           lib.find("hwloc_topology_set_synthetic", set_synthetic) &&
           lib.find("hwloc_topology_load", load) && lib.find("hwloc_topology_destroy", destroy) &&
           lib.find("hwloc_get_type_depth", type_depth) &&
           lib.find("hwloc_get_obj_by_depth", obj_by_depth) &&
           lib.find("hwloc_bitmap_first", bitmap_first) &&
           lib.find("hwloc_distances_get_by_type", distances_by_type) &&
           lib.find("hwloc_distances_release", distances_release);
  }
};

// The number of the first thing of that kind that p is in, or `nothing`.
uint32_t number_above(const hwloc::object* p, int kind) noexcept {
  while (p != nullptr && p->type != kind) p = p->parent;
  return p != nullptr ? p->logical_index : nothing;
}

bool allowed_here(const os::cpu_set* allowed, const hwloc::object& unit) noexcept {
  return allowed == nullptr || allowed->has(unit.os_index);
}

class reader {
 public:
  reader(const functions& f, hwloc::topology* t) noexcept : f_(f), t_(t) {}

  hwloc_result read(const os::cpu_set* allowed, machine& out) const noexcept {
    std::size_t count = 0;
    for (unsigned i = 0; const hwloc::object* unit = at(hwloc::processing_unit, i); ++i)
      count += allowed_here(allowed, *unit) ? 1 : 0;
    if (count == 0) return hwloc_result::no_processor;
    if (!out.processors.make(count)) return hwloc_result::no_memory;
    count = 0;
    for (unsigned i = 0; const hwloc::object* unit = at(hwloc::processing_unit, i); ++i)
      if (allowed_here(allowed, *unit)) out.processors[count++] = made_of(*unit);
    out.nodes = 0;
    while (at(hwloc::numa_node, out.nodes) != nullptr) ++out.nodes;
    if (!read_distances(out)) return hwloc_result::no_memory;
    arrange(out);
    return hwloc_result::ok;
  }

 private:
  const hwloc::object* at(int kind, unsigned i) const noexcept {
    return f_.obj_by_depth(t_, f_.type_depth(t_, kind), i);
  }

  // Memory hangs beside the tree of processors, and is known by the system's number.
  uint32_t node_of(const hwloc::object& unit) const noexcept {
    const int first = f_.bitmap_first(unit.nodeset);
    for (unsigned i = 0; const hwloc::object* node = at(hwloc::numa_node, i); ++i)
      if (first >= 0 && node->os_index == static_cast<unsigned>(first)) return i;
    return 0;
  }

  processor made_of(const hwloc::object& unit) const noexcept {
    processor p{unit.os_index,
                number_above(&unit, hwloc::core),
                number_above(&unit, hwloc::l2_cache),
                number_above(&unit, hwloc::l3_cache),
                node_of(unit),
                number_above(&unit, hwloc::package),
                0};
    if (p.core == nothing) p.core = unit.logical_index;
    return p;
  }

  // Without a table of latencies all other memories are equally far.
  bool read_distances(machine& out) const noexcept {
    unsigned found = 1;
    hwloc::distances* d = nullptr;
    if (f_.distances_by_type(t_, hwloc::numa_node, &found, &d, hwloc::distances_mean_latency, 0) !=
            0 ||
        found == 0)
      return true;
    bool made = true;
    if (d->count == out.nodes) {
      made = out.node_distances.make(std::size_t{out.nodes} * out.nodes);
      for (unsigned a = 0; made && a < d->count; ++a)
        for (unsigned b = 0; b < d->count; ++b)
          out.node_distances[std::size_t{d->objects[a]->logical_index} * out.nodes +
                             d->objects[b]->logical_index] =
              static_cast<uint16_t>(d->values[std::size_t{a} * d->count + b]);
    }
    f_.distances_release(t_, d);
    return made;
  }

  const functions& f_;
  hwloc::topology* t_;
};

}  // namespace

hwloc_result read_hwloc(const char* description, const os::cpu_set* allowed,
                        machine& out) noexcept {
  const os::errno_kept keep;
  functions f{};
  if (!f.find()) return hwloc_result::no_library;
  hwloc::topology* t = nullptr;
  if (f.init(&t) != 0) return hwloc_result::no_memory;
  hwloc_result result = hwloc_result::ok;
  if (description != nullptr && f.set_synthetic(t, description) != 0) {
    result = hwloc_result::bad_description;
  } else if (f.load(t) != 0) {
    result = hwloc_result::no_processor;
  } else {
    result = reader(f, t).read(allowed, out);
  }
  f.destroy(t);
  return result;
}

}  // namespace weft::rt::topo
