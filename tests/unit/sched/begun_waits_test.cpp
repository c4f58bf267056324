// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Since when a wait is shown to last: known once its worker has stamped, and never from before it began.
#include "sched/begun_waits.hpp"

#include <gtest/gtest.h>

namespace {

using weft::rt::begun_waits;
using weft::rt::wait_record;

constexpr const char* what = "a test";

bool known(const wait_record& r) { return wait_record::is_known(r.read().since_ns); }

TEST(BegunWaits, AWaitHasNoTimeBeforeItsWorkerStamps) {
  begun_waits worker(0);
  wait_record r;
  worker.show(r, what, nullptr, nullptr, nullptr);
  EXPECT_FALSE(known(r));
  worker.stamp();
  EXPECT_TRUE(known(r));
}

TEST(BegunWaits, AWaitThatIsOverIsNotStamped) {
  begun_waits worker(0);
  wait_record r;
  worker.show(r, what, nullptr, nullptr, nullptr);
  r.hide();
  worker.stamp();
  EXPECT_FALSE(known(r));
}

TEST(BegunWaits, TheNextWaitOfATaskHasATimeOfItsOwn) {
  begun_waits worker(0);
  wait_record r;
  worker.show(r, what, nullptr, nullptr, nullptr);
  worker.stamp();
  r.hide();
  worker.show(r, what, nullptr, nullptr, nullptr);
  EXPECT_FALSE(known(r));
  worker.stamp();
  EXPECT_TRUE(known(r));
}

TEST(BegunWaits, ManyWaitsOfOneTaskTakeOnePlace) {
  begun_waits worker(0);
  wait_record r;
  for (uint32_t i = 0; i < 3 * begun_waits::most; ++i) {
    worker.show(r, what, nullptr, nullptr, nullptr);
    EXPECT_FALSE(known(r)) << i;
    r.hide();
  }
}

TEST(BegunWaits, AFullBatchIsStamped) {
  begun_waits worker(0);
  wait_record records[begun_waits::most];
  for (wait_record& r : records) {
    EXPECT_FALSE(known(records[0]));
    worker.show(r, what, nullptr, nullptr, nullptr);
  }
  for (const wait_record& r : records) EXPECT_TRUE(known(r));
}

TEST(BegunWaits, ATaskThatWaitsOnAnotherWorkerIsNotedThereToo) {
  begun_waits here(0), there(1);
  wait_record r;
  here.show(r, what, nullptr, nullptr, nullptr);
  r.hide();
  there.show(r, what, nullptr, nullptr, nullptr);
  EXPECT_FALSE(known(r));
  there.stamp();
  EXPECT_TRUE(known(r));
  r.hide();
  here.show(r, what, nullptr, nullptr, nullptr);
  EXPECT_FALSE(known(r));
  here.stamp();
  EXPECT_TRUE(known(r));
}

TEST(BegunWaits, WhatAReportHasStampedKeepsItsTime) {
  begun_waits worker(0);
  wait_record r;
  worker.show(r, what, nullptr, nullptr, nullptr);
  r.stamp(7);
  worker.stamp();
  EXPECT_EQ(r.read().since_ns, 7);
}

}  // namespace
