// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lines of WEFT_INFO=1: every option, its value and where it came from.
#include "conf/describe.hpp"

#include <gtest/gtest.h>
#include <string>

#include "conf/read.hpp"
#include "conf/values.hpp"

namespace weft::rt::conf {
namespace {

std::string described(const values& v) {
  std::string all;
  describe(
      v,
      [](void* to, const char* line) { static_cast<std::string*>(to)->append(line).append("|\n"); },
      &all);
  return all;
}

TEST(describe, says_each_value_and_its_source) {
  const char* const environment[] = {"WEFT_STACK_SIZE=96k", "WEFT_GUARD=mprotect", "WEFT_INFO=1",
                                     nullptr};
  values v;
  error err;
  ASSERT_EQ(read_from(environment, {2, "2 CPUs in the affinity mask, no CPU quota"}, v, err),
            result::ok);
  ASSERT_EQ(set_by_caller(v, option_id::main, 2, err), result::ok);
  EXPECT_EQ(described(v),
            "weft: usable CPUs: 2 (2 CPUs in the affinity mask, no CPU quota)|\n"
            "weft: WEFT_WORKERS=2 (default: one for each usable CPU)|\n"
            "weft: WEFT_STACK_SIZE=96K (environment)|\n"
            "weft: WEFT_MAIN=guest (weft_start)|\n"
            "weft: WEFT_GUARD=mprotect (environment)|\n"
            "weft: WEFT_GUARD_SIZE=64K (default)|\n"
            "weft: WEFT_SPIN_US=50 (default)|\n"
            "weft: WEFT_MEMBARRIER=auto (default)|\n"
            "weft: WEFT_STICKY=0 (default)|\n"
            "weft: WEFT_STACK_CACHE=64 (default)|\n"
            "weft: WEFT_SHEPHERD=auto (default)|\n"
            "weft: WEFT_BIND=auto (default)|\n"
            "weft: WEFT_TOPOLOGY=auto (default)|\n"
            "weft: WEFT_FOLLOW_CPUS=0 (default)|\n"
            "weft: WEFT_LOOP_SCHEDULE=adaptive (default)|\n"
            "weft: WEFT_INFO=1 (environment)|\n");
}

TEST(describe, a_number_of_workers_that_was_given_names_its_source_only) {
  const char* const environment[] = {"WEFT_WORKERS=7", nullptr};
  values v;
  error err;
  ASSERT_EQ(read_from(environment, {2, "why"}, v, err), result::ok);
  EXPECT_NE(described(v).find("weft: WEFT_WORKERS=7 (environment)|\n"), std::string::npos);
}

TEST(describe, the_sink_for_standard_error_ends_the_line) {
  testing::internal::CaptureStderr();
  to_stderr(nullptr, "weft: a line");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "weft: a line\n");
}

}  // namespace
}  // namespace weft::rt::conf
