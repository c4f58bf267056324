// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Since when a wait is shown to last: known once its worker has stamped, and never from before it
// began.
#include "sched/begun_waits.hpp"

#include <gtest/gtest.h>

namespace {

using weft::rt::begun_waits;
using weft::rt::wait_record;

constexpr const char* what = "a test";

bool known(const wait_record& r) { return wait_record::is_known(r.read().since_ns); }

void begin(begun_waits& worker, wait_record& r) { worker.show(r, what, nullptr, nullptr, nullptr); }

// A wait that begins there has no time before that worker stamps.
void expect_stamped_by(begun_waits& worker, wait_record& r) {
  begin(worker, r);
  EXPECT_FALSE(known(r));
  worker.stamp();
  EXPECT_TRUE(known(r));
}

TEST(BegunWaits, AWaitHasNoTimeBeforeItsWorkerStamps) {
  begun_waits worker(0);
  wait_record r;
  expect_stamped_by(worker, r);
}

TEST(BegunWaits, AWaitThatIsOverIsNotStamped) {
  begun_waits worker(0);
  wait_record r;
  begin(worker, r);
  r.hide();
  worker.stamp();
  EXPECT_FALSE(known(r));
}

TEST(BegunWaits, TheNextWaitOfATaskHasATimeOfItsOwn) {
  begun_waits worker(0);
  wait_record r;
  begin(worker, r);
  worker.stamp();
  r.hide();
  expect_stamped_by(worker, r);
}

TEST(BegunWaits, ManyWaitsOfOneTaskTakeOnePlace) {
  begun_waits worker(0);
  wait_record r;
  for (uint32_t i = 0; i < 3 * begun_waits::most; ++i) {
    begin(worker, r);
    EXPECT_FALSE(known(r)) << i;
    r.hide();
  }
}

TEST(BegunWaits, AFullBatchIsStamped) {
  begun_waits worker(0);
  wait_record records[begun_waits::most];
  for (wait_record& r : records) {
    EXPECT_FALSE(known(records[0]));
    begin(worker, r);
  }
  for (const wait_record& r : records) EXPECT_TRUE(known(r));
}

TEST(BegunWaits, ATaskThatWaitsOnAnotherWorkerIsNotedThereToo) {
  begun_waits here(0), there(1);
  wait_record r;
  begin(here, r);
  r.hide();
  expect_stamped_by(there, r);
  r.hide();
  expect_stamped_by(here, r);
}

TEST(BegunWaits, WhatAReportHasStampedKeepsItsTime) {
  begun_waits worker(0);
  wait_record r;
  begin(worker, r);
  r.stamp(7);
  worker.stamp();
  EXPECT_EQ(r.read().since_ns, 7);
}

}  // namespace
