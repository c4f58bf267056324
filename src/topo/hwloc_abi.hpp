// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Weft uses of the binary interface of libhwloc.so.15 (hwloc 2), which is loaded when it is
// asked for.
//
// Declared here so that neither building nor running Weft needs hwloc. A test compares it with
// hwloc.h where that is installed.
#pragma once

#include <cstdint>

namespace weft::rt::topo::hwloc {

inline constexpr const char* library_name = "libhwloc.so.15";
inline constexpr unsigned api_version = 2;  // the upper half of what hwloc_get_api_version returns

struct topology;
struct bitmap;

enum kind : int {
  package = 1,
  core = 2,
  processing_unit = 3,
  l2_cache = 5,
  l3_cache = 6,
  numa_node = 13
};

// The first fields of an hwloc_obj.
struct object {
  int type;
  char* subtype;
  unsigned os_index;
  char* name;
  uint64_t total_memory;
  void* attributes;
  int depth;
  unsigned logical_index;
  object* next_cousin;
  object* prev_cousin;
  object* parent;
  unsigned sibling_rank;
  object* next_sibling;
  object* prev_sibling;
  unsigned arity;
  object** children;
  object* first_child;
  object* last_child;
  int symmetric_subtree;
  unsigned memory_arity;
  object* memory_first_child;
  unsigned io_arity;
  object* io_first_child;
  unsigned misc_arity;
  object* misc_first_child;
  bitmap* cpuset;
  bitmap* complete_cpuset;
  bitmap* nodeset;
};

// hwloc_distances_s
struct distances {
  unsigned count;
  object** objects;
  unsigned long kind;
  uint64_t* values;
};
inline constexpr unsigned long distances_mean_latency = 1ul << 2;

// Types of the functions, by their names without hwloc_.
using get_api_version = unsigned();
using topology_init = int(topology**);
using topology_set_synthetic = int(topology*, const char*);
using topology_load = int(topology*);
using topology_destroy = void(topology*);
using get_type_depth = int(topology*, int);
using get_obj_by_depth = object*(topology*, int, unsigned);
using bitmap_first = int(const bitmap*);
using distances_get_by_type = int(topology*, int, unsigned*, distances**, unsigned long,
                                  unsigned long);
using distances_release = void(topology*, distances*);

}  // namespace weft::rt::topo::hwloc
