// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A child that is forked while another thread starts Weft for the first time can start it, too.
#include <gtest/gtest.h>

#include <weft/runtime.h>

#include "support/forked_meanwhile.hpp"

namespace weft::test {
namespace {

bool can_start() { return weft_start(nullptr) == 0 && weft_stop() == 0; }

TEST(process_forked_meanwhile, a_child_can_start_while_its_parents_first_start_tells_of_forks) {
  if (!fork_handlers_can_be_refused) GTEST_SKIP() << "they cannot be seen";
  if (emulated) GTEST_SKIP() << "such a child of the emulator starts no threads";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  constexpr int handlers =
      3;  // of the scopes that forks wait for, of those of one thread, of starts
  for (int which = 1; which <= handlers; ++which)
    for (const bool registered : {false, true})
      EXPECT_EXIT(have_child_meanwhile<can_start>(which, registered), testing::ExitedWithCode(0),
                  "");
}

}  // namespace
}  // namespace weft::test
