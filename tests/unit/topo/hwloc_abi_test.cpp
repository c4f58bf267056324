// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What src/ declares of hwloc's binary interface is what hwloc.h says, where that is installed.
#include "topo/hwloc_abi.hpp"

#include <gtest/gtest.h>
#if __has_include(<hwloc.h>) && __has_include(<hwloc/autogen/config.h>)  // of this machine
#include <cstddef>
#include <hwloc.h>
#include <type_traits>
#endif

namespace {

namespace ours = weft::rt::topo::hwloc;

TEST(hwloc_abi, is_declared_as_hwloc_does) {
#if __has_include(<hwloc.h>) && __has_include(<hwloc/autogen/config.h>)
#define SAME(field, theirs) EXPECT_EQ(offsetof(ours::object, field), offsetof(hwloc_obj, theirs))
  SAME(type, type);
  SAME(os_index, os_index);
  SAME(logical_index, logical_index);
  SAME(parent, parent);
  SAME(cpuset, cpuset);
  SAME(nodeset, nodeset);
#undef SAME
  EXPECT_EQ(int{ours::package}, int{HWLOC_OBJ_PACKAGE});
  EXPECT_EQ(int{ours::core}, int{HWLOC_OBJ_CORE});
  EXPECT_EQ(int{ours::processing_unit}, int{HWLOC_OBJ_PU});
  EXPECT_EQ(int{ours::l2_cache}, int{HWLOC_OBJ_L2CACHE});
  EXPECT_EQ(int{ours::l3_cache}, int{HWLOC_OBJ_L3CACHE});
  EXPECT_EQ(int{ours::numa_node}, int{HWLOC_OBJ_NUMANODE});
  EXPECT_EQ(HWLOC_API_VERSION >> 16, ours::api_version);
  EXPECT_EQ(offsetof(ours::distances, objects), offsetof(hwloc_distances_s, objs));
  EXPECT_EQ(offsetof(ours::distances, values), offsetof(hwloc_distances_s, values));
  EXPECT_EQ(ours::distances_mean_latency,
            static_cast<unsigned long>(HWLOC_DISTANCES_KIND_MEANS_LATENCY));
#else
  GTEST_SKIP() << "there is no hwloc.h";
#endif
}

}  // namespace
