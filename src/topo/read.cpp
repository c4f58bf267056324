// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asks /sys, which takes a fraction of a millisecond, before hwloc, which takes many; keeps the
// answer.
#include "topo/read.hpp"

#include <cstring>

#include "os/affinity.hpp"
#include "topo/hwloc.hpp"
#include "topo/sys.hpp"

namespace weft::rt::topo {

namespace {

constexpr std::size_t longest_question = 512;

// The last answer, and to what question.
struct last_answer {
  machine m;
  source from = source::flat;
  os::cpu_set allowed;
  char chosen[longest_question] = {};
  bool valid = false;
};

// Never destroyed: a program may start Weft anew in its last destructor.
union for_ever {
  constexpr for_ever() noexcept : last() {}
  ~for_ever() {}
  last_answer last;
};
constinit for_ever storage;
constinit last_answer& kept = storage.last;

bool asked_before(const os::cpu_set& allowed, const char* chosen) noexcept {
  return kept.valid && kept.allowed == allowed && std::strcmp(kept.chosen, chosen) == 0;
}

read_result read_by_hwloc(const char* description, const os::cpu_set* allowed,
                          machine& out) noexcept {
  switch (read_hwloc(description, allowed, out)) {
    case hwloc_result::ok:
      return read_result::ok;
    case hwloc_result::no_library:
      return read_result::no_library;
    case hwloc_result::bad_description:
      return read_result::bad_description;
    case hwloc_result::no_processor:
      return read_result::no_processor;
    case hwloc_result::no_memory:
      break;
  }
  return read_result::no_memory;
}

read_result ask(const char* chosen, const os::cpu_set& allowed, machine& out,
                source& from) noexcept {
  const bool automatic = *chosen == '\0';
  const auto is = [&](const char* word) { return std::strcmp(chosen, word) == 0; };
  if (automatic && read_sys("", allowed, out)) {
    from = source::sys;
    return read_result::ok;
  }
  if (automatic || is("hwloc")) {
    from = source::hwloc;
    const read_result r = read_by_hwloc(nullptr, &allowed, out);
    if (r == read_result::ok || !automatic) return r;
  }
  if (automatic || is("flat")) {
    from = source::flat;
    return read_flat(allowed, out) ? read_result::ok : read_result::no_memory;
  }
  from = source::description;
  return read_by_hwloc(chosen, nullptr, out);
}

}  // namespace

read_result read_machine(const char* chosen, answer& out) noexcept {
  if (chosen == nullptr) chosen = "";
  if (std::strlen(chosen) >= longest_question) return read_result::bad_description;
  os::cpu_set allowed;
  if (!os::get_affinity(allowed)) allowed.add(0);
  if (!asked_before(allowed, chosen)) {
    machine m;
    source from{};
    const read_result r = ask(chosen, allowed, m, from);
    if (r != read_result::ok) return r;
    kept.m.take(m);
    kept.from = from;
    kept.allowed = allowed;
    std::strcpy(kept.chosen, chosen);
    kept.valid = true;
  }
  out = {&kept.m, kept.from};
  return read_result::ok;
}

void forget_machine() noexcept {
  kept.m.processors.forget();
  kept.m.node_distances.forget();
  kept.valid = false;
}

}  // namespace weft::rt::topo
