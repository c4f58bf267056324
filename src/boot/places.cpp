// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is not said follows from the machine: it is divided, and workers are bound, only where a
// worker stands on each of its processors. With fewer, others may be meant to have the rest, and
// threads that wander belong to no part of it.
#include "boot/places.hpp"

#include <cerrno>

#include "boot/refuse.hpp"
#include "conf/options.hpp"

namespace weft::rt::boot {

namespace {

const char* name_of(topo::source s) noexcept {
  constexpr const char* names[] = {"/sys", "hwloc", "described", "flat"};
  return names[static_cast<unsigned>(s)];
}

int read(const conf::values& v, topo::answer& out) noexcept {
  switch (topo::read_machine(v.topology.value, out)) {
    case topo::read_result::ok:
      return 0;
    case topo::read_result::no_library:
      return refuse(v, conf::option_id::topology,
                    "libhwloc.so.15, which this needs, cannot be loaded");
    case topo::read_result::bad_description:
      return refuse(
          v, conf::option_id::topology,
          "give auto, hwloc, flat or a machine as hwloc describes it, such as pack:2 core:4 pu:2");
    case topo::read_result::no_processor:
      return refuse(v, conf::option_id::topology,
                    "hwloc finds no processor that this process may use");
    case topo::read_result::no_memory:
      break;
  }
  return -ENOMEM;
}

}  // namespace

int choose_places(const conf::values& v, chosen_places& out) noexcept {
  topo::answer machine;
  const int failed = read(v, machine);
  return failed != 0 ? failed : choose_places(v, machine, out);
}

int choose_places(const conf::values& v, const topo::answer& machine, chosen_places& out) noexcept {
  const bool real = machine.from != topo::source::description;
  if (!real &&
      (v.bind.value == conf::bind_mode::shepherd || v.bind.value == conf::bind_mode::worker))
    return refuse(v, conf::option_id::bind,
                  "WEFT_TOPOLOGY describes a machine, whose processors cannot be had");
  const bool all = v.workers.value == machine.m->processors.size();
  const bool binds = v.bind.value == conf::bind_mode::automatic
                         ? all && real
                         : v.bind.value != conf::bind_mode::none;
  auto by = static_cast<topo::boundary>(v.shepherd.value);
  if (by == topo::boundary::automatic)
    by = binds || !real ? topo::suggested(*machine.m) : topo::boundary::machine;
  if (!topo::lay_out(*machine.m, v.workers.value, by, out.map)) return -ENOMEM;
  out.map.described = !real;
  if (v.bind.value == conf::bind_mode::worker) {
    out.bind = binding::worker;
  } else if (binds && (v.bind.value == conf::bind_mode::shepherd || out.map.shepherds > 1)) {
    out.bind = binding::shepherd;
  }
  out.from = machine.from;
  out.processors = machine.m->processors.size();
  return 0;
}

void add_places(os::text& to, const chosen_places& p, bool can_bind) noexcept {
  to.decimal(p.processors).add(p.processors == 1 ? " processor (" : " processors (");
  to.add(name_of(p.from)).add("), ");
  to.decimal(p.map.shepherds).add(p.map.shepherds == 1 ? " shepherd (" : " shepherds (");
  to.add(conf::words_shepherd[static_cast<unsigned>(p.map.by)]).add("), workers ");
  if (p.bind == binding::none) {
    to.add("not bound");
  } else if (!can_bind) {
    to.add("not bound: where the thread that starts Weft may run cannot be read");
  } else {
    to.add(p.bind == binding::worker ? "bound to a processor each"
                                     : "bound to their shepherd's processors");
  }
}

}  // namespace weft::rt::boot
