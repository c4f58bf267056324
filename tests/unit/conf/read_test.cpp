// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each option accepts, the exact line for what it does not, and where a value came from.
#include "conf/read.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <list>
#include <stdlib.h>
#include <string>
#include <vector>

#include "conf/options.hpp"
#include "conf/values.hpp"
#include "os/cpus.hpp"

namespace weft::rt::conf {
namespace {

constexpr os::cpu_count three_cpus{3, "three for the test"};

struct outcome {
  result answer;
  values chosen;
  std::string line;
};

outcome read_these(const std::vector<std::string>& variables, os::cpu_count cpus = three_cpus) {
  static std::list<std::string> kept;  // as an environment, it outlives the values
  std::vector<const char*> environment;
  for (const std::string& v : variables) environment.push_back(kept.emplace_back(v).c_str());
  environment.push_back(nullptr);
  outcome out{result::refused, {}, {}};
  error err;
  out.answer = read_from(environment.data(), cpus, out.chosen, err);
  out.line = err.line.c_str();
  return out;
}

values accepted(const std::vector<std::string>& variables) {
  const outcome out = read_these(variables);
  EXPECT_EQ(out.answer, result::ok) << out.line;
  EXPECT_EQ(out.line, "");
  return out.chosen;
}

std::string refused(const std::string& variable) {
  const outcome out = read_these({"HOME=/", variable});
  EXPECT_EQ(out.answer, result::refused) << variable;
  EXPECT_EQ(out.chosen.workers.value, 0u) << "a refused read must leave its output alone";
  return out.line;
}

TEST(read, defaults) {
  const values v = accepted({"HOME=/", "WEF_T=1", "weft_workers=x"});
  EXPECT_EQ(v.workers.value, 3u);
  EXPECT_EQ(v.stack_bytes.value, 65536u);
  EXPECT_EQ(v.main.value, main_mode::worker);
  EXPECT_EQ(v.guard.value, guard_mode::automatic);
  EXPECT_EQ(v.guard_bytes.value, 65536u);
  EXPECT_EQ(v.spin_us.value, 50u);
  EXPECT_EQ(v.membarrier.value, membarrier_mode::automatic);
  EXPECT_FALSE(v.sticky.value);
  EXPECT_EQ(v.stack_cache.value, 64u);
  EXPECT_EQ(v.shepherd.value, shepherd_boundary::automatic);
  EXPECT_EQ(v.bind.value, bind_mode::automatic);
  EXPECT_EQ(v.topology.value, nullptr);
  EXPECT_FALSE(v.follow_cpus.value);
  EXPECT_EQ(v.loop_schedule.value, 1u);
  EXPECT_FALSE(v.info.value);
  EXPECT_EQ(v.workers.from, source::built_in);
  EXPECT_EQ(v.info.from, source::built_in);
  EXPECT_STREQ(v.cpus.why, "three for the test");
}

TEST(read, the_default_number_of_workers_stays_in_range) {
  EXPECT_EQ(read_these({}, {5000, ""}).chosen.workers.value, 1024u);
}

TEST(read, every_option_from_the_environment) {
  const values v = accepted({"WEFT_WORKERS=7", "WEFT_STACK_SIZE=1m", "WEFT_MAIN=guest",
                             "WEFT_GUARD=canary", "WEFT_GUARD_SIZE=8k", "WEFT_SPIN_US=0",
                             "WEFT_MEMBARRIER=off", "WEFT_STICKY=1", "WEFT_STACK_CACHE=9",
                             "WEFT_SHEPHERD=l2", "WEFT_BIND=worker", "WEFT_TOPOLOGY=core:2 pu:2",
                             "WEFT_FOLLOW_CPUS=1", "WEFT_LOOP_SCHEDULE=guided", "WEFT_INFO=1"});
  EXPECT_EQ(v.workers.value, 7u);
  EXPECT_EQ(v.stack_bytes.value, 1u << 20);
  EXPECT_EQ(v.main.value, main_mode::guest);
  EXPECT_EQ(v.guard.value, guard_mode::canary);
  EXPECT_EQ(v.guard_bytes.value, 8192u);
  EXPECT_EQ(v.spin_us.value, 0u);
  EXPECT_EQ(v.membarrier.value, membarrier_mode::off);
  EXPECT_TRUE(v.sticky.value);
  EXPECT_EQ(v.stack_cache.value, 9u);
  EXPECT_EQ(v.shepherd.value, shepherd_boundary::l2);
  EXPECT_EQ(v.bind.value, bind_mode::worker);
  EXPECT_STREQ(v.topology.value, "core:2 pu:2");
  EXPECT_TRUE(v.follow_cpus.value);
  EXPECT_EQ(v.loop_schedule.value, 4u);
  EXPECT_TRUE(v.info.value);
  for (const option& row : options) {
    source from = source::built_in;
    (void)row.get(v, from);
    EXPECT_EQ(from, source::environment) << row.name;
  }
}

TEST(read, numbers_at_both_ends_of_their_range) {
  EXPECT_EQ(accepted({"WEFT_WORKERS=1"}).workers.value, 1u);
  EXPECT_EQ(accepted({"WEFT_WORKERS=1024"}).workers.value, 1024u);
  EXPECT_EQ(accepted({"WEFT_WORKERS=0012"}).workers.value, 12u);
  EXPECT_EQ(accepted({"WEFT_SPIN_US=1000000"}).spin_us.value, 1000000u);
  EXPECT_EQ(accepted({"WEFT_STACK_CACHE=0"}).stack_cache.value, 0u);
  EXPECT_EQ(accepted({"WEFT_STACK_CACHE=4096"}).stack_cache.value, 4096u);
}

TEST(read, refused_numbers) {
  for (const char* bad :
       {"0", "1025", "abc", "-1", "+1", " 1", "1 ", "1.5", "1e2", "0x10", "1k", "4,",
        "18446744073709551616", "18446744073709551617", "99999999999999999999999999999999"}) {
    EXPECT_EQ(refused(std::string("WEFT_WORKERS=") + bad),
              std::string("weft: WEFT_WORKERS=") + bad +
                  ": not accepted; give a whole number from 1 to 1024\n");
  }
  EXPECT_EQ(refused("WEFT_SPIN_US=1000001"),
            "weft: WEFT_SPIN_US=1000001: not accepted; give a whole number from 0 to 1000000\n");
  EXPECT_EQ(refused("WEFT_STACK_CACHE=4097"),
            "weft: WEFT_STACK_CACHE=4097: not accepted; give a whole number from 0 to 4096\n");
}

TEST(read, sizes_with_every_suffix) {
  EXPECT_EQ(accepted({"WEFT_STACK_SIZE=16384"}).stack_bytes.value, 16384u);
  EXPECT_EQ(accepted({"WEFT_STACK_SIZE=16k"}).stack_bytes.value, 16384u);
  EXPECT_EQ(accepted({"WEFT_STACK_SIZE=16K"}).stack_bytes.value, 16384u);
  EXPECT_EQ(accepted({"WEFT_STACK_SIZE=2m"}).stack_bytes.value, 2u << 20);
  EXPECT_EQ(accepted({"WEFT_STACK_SIZE=2M"}).stack_bytes.value, 2u << 20);
  EXPECT_EQ(accepted({"WEFT_STACK_SIZE=1g"}).stack_bytes.value, 1u << 30);
  EXPECT_EQ(accepted({"WEFT_STACK_SIZE=1G"}).stack_bytes.value, 1u << 30);
  EXPECT_EQ(accepted({"WEFT_STACK_SIZE=1073741824"}).stack_bytes.value, 1u << 30);
  EXPECT_EQ(accepted({"WEFT_GUARD_SIZE=4K"}).guard_bytes.value, 4096u);
  EXPECT_EQ(accepted({"WEFT_GUARD_SIZE=1M"}).guard_bytes.value, 1u << 20);
}

TEST(read, refused_sizes) {
  for (const char* bad :
       {"16383", "15k", "1073741825", "2g", "k", "64kb", "64 k", "64KiB", "64t", "-64k", "1.5m",
        "0", "18014398509481984k", "17179869184g", "18446744073709551616"}) {
    EXPECT_EQ(refused(std::string("WEFT_STACK_SIZE=") + bad),
              std::string("weft: WEFT_STACK_SIZE=") + bad +
                  ": not accepted; give a size from 16K to 1G in bytes, K, M or G\n");
  }
  EXPECT_EQ(
      refused("WEFT_GUARD_SIZE=0"),
      "weft: WEFT_GUARD_SIZE=0: not accepted; give a size from 4K to 1M in bytes, K, M or G\n");
  EXPECT_EQ(
      refused("WEFT_GUARD_SIZE=2M"),
      "weft: WEFT_GUARD_SIZE=2M: not accepted; give a size from 4K to 1M in bytes, K, M or G\n");
}

TEST(read, every_word_of_a_choice) {
  EXPECT_EQ(accepted({"WEFT_MAIN=worker"}).main.value, main_mode::worker);
  EXPECT_EQ(accepted({"WEFT_GUARD=auto"}).guard.value, guard_mode::automatic);
  EXPECT_EQ(accepted({"WEFT_GUARD=madvise"}).guard.value, guard_mode::madvise);
  EXPECT_EQ(accepted({"WEFT_GUARD=mprotect"}).guard.value, guard_mode::mprotect);
  EXPECT_EQ(accepted({"WEFT_MEMBARRIER=auto"}).membarrier.value, membarrier_mode::automatic);
  EXPECT_FALSE(accepted({"WEFT_STICKY=0"}).sticky.value);
  EXPECT_FALSE(accepted({"WEFT_INFO=0"}).info.value);
}

TEST(read, refused_choices) {
  EXPECT_EQ(refused("WEFT_MAIN=Worker"),
            "weft: WEFT_MAIN=Worker: not accepted; give worker or guest\n");
  EXPECT_EQ(refused("WEFT_GUARD=none"),
            "weft: WEFT_GUARD=none: not accepted; give auto, madvise, mprotect or canary\n");
  EXPECT_EQ(refused("WEFT_MEMBARRIER=on"),
            "weft: WEFT_MEMBARRIER=on: not accepted; give auto or off\n");
  for (const char* bad : {"2", "yes", "true", "01", "-0"}) {
    EXPECT_EQ(refused(std::string("WEFT_STICKY=") + bad),
              std::string("weft: WEFT_STICKY=") + bad + ": not accepted; give 0 or 1\n");
  }
}

TEST(read, a_text_is_taken_as_it_is_and_its_default_by_name) {
  EXPECT_STREQ(accepted({"WEFT_TOPOLOGY=whatever this is"}).topology.value, "whatever this is");
  const values v = accepted({"WEFT_TOPOLOGY=auto"});
  EXPECT_EQ(v.topology.value, nullptr);
  EXPECT_EQ(v.topology.from, source::environment);
}

TEST(read, what_a_part_refuses_later_is_said_in_the_same_way) {
  const values v = accepted({"WEFT_TOPOLOGY=pack:\n", "WEFT_BIND=worker"});
  error err;
  refuse_later(v, option_id::topology, "it says nothing", err);
  EXPECT_STREQ(err.line.c_str(), "weft: WEFT_TOPOLOGY=pack:?: not accepted; it says nothing\n");
  refuse_later(v, option_id::bind, "no", err);
  EXPECT_STREQ(err.line.c_str(), "weft: WEFT_BIND=worker: not accepted; no\n");
}

TEST(read, an_empty_value_counts_as_unset) {
  const values v = accepted({"WEFT_WORKERS=", "WEFT_MAIN=", "WEFT_NONSENSE="});
  EXPECT_EQ(v.workers.value, 3u);
  EXPECT_EQ(v.workers.from, source::built_in);
}

TEST(read, the_first_of_two_equal_names_counts) {
  EXPECT_EQ(accepted({"WEFT_WORKERS=4", "WEFT_WORKERS=abc"}).workers.value, 4u);
}

TEST(read, a_name_that_is_no_option_is_refused_with_the_nearest) {
  EXPECT_EQ(
      refused("WEFT_WORKER=4"),
      "weft: WEFT_WORKER=4: not accepted; there is no such option, did you mean WEFT_WORKERS?\n");
  EXPECT_EQ(refused("WEFT_STACKSIZE=1M"),
            "weft: WEFT_STACKSIZE=1M: not accepted; there is no such option, did you mean "
            "WEFT_STACK_SIZE?\n");
  EXPECT_EQ(
      refused("WEFT_GAURD=auto"),
      "weft: WEFT_GAURD=auto: not accepted; there is no such option, did you mean WEFT_GUARD?\n");
}

TEST(read, a_name_far_from_all_options_is_refused_with_the_list) {
  const std::string list =
      ": not accepted; the options are WEFT_WORKERS, WEFT_STACK_SIZE, WEFT_MAIN, WEFT_GUARD, "
      "WEFT_GUARD_SIZE, WEFT_SPIN_US, WEFT_MEMBARRIER, WEFT_STICKY, WEFT_STACK_CACHE, "
      "WEFT_SHEPHERD, WEFT_BIND, WEFT_TOPOLOGY, "
      "WEFT_FOLLOW_CPUS, WEFT_LOOP_SCHEDULE, WEFT_INFO\n";
  EXPECT_EQ(refused("WEFT_NUM_THREADS_PER_PROCESS=4"),
            "weft: WEFT_NUM_THREADS_PER_PROCESS=4" + list);
  const std::string longest = "WEFT_" + std::string(500, 'X');
  EXPECT_EQ(refused(longest + "=1"), "weft: " + longest.substr(0, 60) + "..." + list);
}

TEST(read, a_message_is_one_line_whatever_the_value) {
  EXPECT_EQ(refused("WEFT_WORKERS=4\n5\x1b[31m"),
            "weft: WEFT_WORKERS=4?5?[31m: not accepted; give a whole number from 1 to 1024\n");
  const std::string line = refused("WEFT_WORKERS=" + std::string(5000, '9'));
  EXPECT_EQ(line, "weft: WEFT_WORKERS=" + std::string(47, '9') +
                      "...: not accepted; give a whole number from 1 to 1024\n");
}

TEST(read, takes_the_environment_of_the_process) {
  ASSERT_EQ(::setenv("WEFT_STACK_CACHE", "17", 1), 0);
  values v;
  error err;
  const result answer = read(v, err);
  ASSERT_EQ(::unsetenv("WEFT_STACK_CACHE"), 0);
  ASSERT_EQ(answer, result::ok) << err.line.c_str();
  EXPECT_EQ(v.stack_cache.value, 17u);
  EXPECT_EQ(v.cpus.count, os::usable_cpus().count);
}

TEST(set_by_caller, goes_before_the_environment) {
  values v = accepted({"WEFT_WORKERS=4", "WEFT_MAIN=worker"});
  error err;
  EXPECT_EQ(set_by_caller(v, option_id::workers, 9, err), result::ok);
  EXPECT_EQ(set_by_caller(v, option_id::main, 2, err), result::ok);
  EXPECT_EQ(set_by_caller(v, option_id::stack_size, 100000, err), result::ok);
  EXPECT_EQ(v.workers.value, 9u);
  EXPECT_EQ(v.workers.from, source::caller);
  EXPECT_EQ(v.main.value, main_mode::guest);
  EXPECT_EQ(v.stack_bytes.value, 100000u);
}

TEST(set_by_caller, refuses_with_the_name_of_the_field) {
  values v = accepted({});
  error err;
  EXPECT_EQ(set_by_caller(v, option_id::workers, 1025, err), result::refused);
  EXPECT_STREQ(
      err.line.c_str(),
      "weft: weft_config_t.workers=1025: not accepted; give a whole number from 1 to 1024\n");
  EXPECT_EQ(set_by_caller(v, option_id::main, 3, err), result::refused);
  EXPECT_STREQ(err.line.c_str(),
               "weft: weft_config_t.main_mode=3: not accepted; give worker or guest\n");
  EXPECT_EQ(set_by_caller(v, option_id::stack_size, 16383, err), result::refused);
  EXPECT_STREQ(err.line.c_str(),
               "weft: weft_config_t.stack_bytes=16383: not accepted; give a size from 16K to 1G in "
               "bytes, K, M or G\n");
  EXPECT_EQ(v.workers.value, 3u);
  EXPECT_EQ(v.workers.from, source::built_in);
}

}  // namespace
}  // namespace weft::rt::conf
