// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shepherds and bonds of workers where nobody asked for any, on machines that we do not have.
#include "boot/places.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "conf/read.hpp"
#include "topo/hwloc.hpp"

namespace weft::rt::boot {
namespace {

class choose_places_test : public testing::Test {
 protected:
  // As on this machine, which the kernel described, with so many workers and these options. Needs
  // hwloc for its descriptions.
  void choose(const char* described, const std::string& workers,
              const std::vector<std::string>& options = {}) {
    const topo::hwloc_result r = topo::read_hwloc(described, nullptr, machine_);
    if (r == topo::hwloc_result::no_library) GTEST_SKIP() << "no libhwloc.so.15 for this processor";
    ASSERT_EQ(r, topo::hwloc_result::ok);
    std::vector<std::string> kept = options;
    kept.push_back("WEFT_WORKERS=" + workers);
    std::vector<const char*> environment;
    for (const std::string& o : kept) environment.push_back(o.c_str());
    environment.push_back(nullptr);
    conf::values v;
    conf::error err;
    ASSERT_EQ(conf::read_from(environment.data(), {8, "as the test says"}, v, err),
              conf::result::ok)
        << err.line.c_str();
    chosen_ = std::make_unique<chosen_places>();
    ASSERT_EQ(choose_places(v, {&machine_, topo::source::sys}, *chosen_), 0);
  }

  topo::machine machine_;
  std::unique_ptr<chosen_places> chosen_;
};

#define CHOOSE(...)        \
  choose(__VA_ARGS__);     \
  if (IsSkipped()) return; \
  if (HasFatalFailure()) return

constexpr const char* two_sockets = "pack:2 l3:1 core:4 pu:1";
constexpr const char* one_socket = "pack:1 l3:1 core:8 pu:1";

TEST_F(choose_places_test, workers_are_bound_where_they_have_a_whole_machine_of_several_parts) {
  CHOOSE(two_sockets, "8");
  EXPECT_EQ(chosen_->bind, binding::shepherd);
  EXPECT_EQ(chosen_->map.shepherds, 2u);
}

TEST_F(choose_places_test, workers_are_not_bound_where_others_may_have_the_rest) {
  CHOOSE(two_sockets, "7");
  EXPECT_EQ(chosen_->bind, binding::none);
  EXPECT_EQ(chosen_->map.shepherds, 1u);
}

TEST_F(choose_places_test, workers_are_not_bound_where_the_machine_has_one_part) {
  CHOOSE(one_socket, "8");
  EXPECT_EQ(chosen_->bind, binding::none);
  EXPECT_EQ(chosen_->map.shepherds, 1u);
}

TEST_F(choose_places_test, what_is_asked_for_goes_before_what_the_machine_suggests) {
  CHOOSE(two_sockets, "8", {"WEFT_BIND=none"});
  EXPECT_EQ(chosen_->bind, binding::none);
  CHOOSE(two_sockets, "3", {"WEFT_BIND=worker"});
  EXPECT_EQ(chosen_->bind, binding::worker);
  CHOOSE(two_sockets, "3", {"WEFT_BIND=shepherd", "WEFT_SHEPHERD=socket"});
  EXPECT_EQ(chosen_->bind, binding::shepherd);
  CHOOSE(two_sockets, "8", {"WEFT_SHEPHERD=core"});
  EXPECT_EQ(chosen_->map.shepherds, 8u);
}

}  // namespace
}  // namespace weft::rt::boot
