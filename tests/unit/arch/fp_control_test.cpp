// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about floating point control: what is read and written, and that a switch leaves it alone.
#include "arch/fp_control.hpp"

#include <cfenv>
#include <gtest/gtest.h>

#include "flow.hpp"

namespace weft::rt::test {
namespace {

// A seventh is rounded down to the nearest in every format: 001001..., cut before 00 or 01.
volatile double one = 1;
volatile double seven = 7;
volatile long double long_one = 1;
volatile long double long_seven = 7;

class fp_control : public testing::Test {
 protected:
  void TearDown() override { std::fesetenv(FE_DFL_ENV); }
};

TEST_F(fp_control, rounding_comes_back) {
  const double nearest = one / seven;
  const long double long_nearest = long_one / long_seven;
  const arch::fp_control usual = arch::read_fp_control();
  std::fesetround(FE_UPWARD);
  const arch::fp_control upward = arch::read_fp_control();
  const double up = one / seven;
  const long double long_up = long_one / long_seven;
  ASSERT_NE(up, nearest);
  ASSERT_NE(long_up, long_nearest);

  arch::write_fp_control(usual);
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  EXPECT_EQ(one / seven, nearest);
  EXPECT_EQ(long_one / long_seven, long_nearest);

  arch::write_fp_control(upward);
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  EXPECT_EQ(one / seven, up);
  EXPECT_EQ(long_one / long_seven, long_up);
}

TEST_F(fp_control, sticky_flags_stay_with_the_thread) {
  std::feclearexcept(FE_ALL_EXCEPT);
  const arch::fp_control clear = arch::read_fp_control();
  std::feraiseexcept(FE_DIVBYZERO);
  arch::write_fp_control(clear);
  EXPECT_NE(std::fetestexcept(FE_DIVBYZERO), 0);
}

int rounding_inside = -1;

void rounds_upward() noexcept {
  arrive();
  std::fesetround(FE_UPWARD);
  go_outside();
  rounding_inside = std::fegetround();
  finish();
}

TEST_F(fp_control, belongs_to_the_thread_not_to_the_flow) {
#if defined(WEFT_PORTABLE_SWITCH)
  GTEST_SKIP() << "the portable switch saves it, as portable/context.hpp says";
#endif
  two_flows both(rounds_upward);
  both.run();
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_DOWNWARD);
  both.run();
  EXPECT_EQ(rounding_inside, FE_DOWNWARD);
}

}  // namespace
}  // namespace weft::rt::test
