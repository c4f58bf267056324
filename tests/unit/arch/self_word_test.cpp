// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about the word of each OS thread; compiled at -O3, once more against a shared library.
#include "arch/self_word.hpp"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "base/attributes.hpp"
#include "flow.hpp"

namespace weft::rt::test {
namespace {

using arch::load_self_word;
using arch::store_self_word;

TEST(self_word, is_what_was_stored) {
  int a = 0;
  int b = 0;
  store_self_word(&a);
  EXPECT_EQ(load_self_word(), &a);
  EXPECT_EQ(weft_self_word, &a);
  store_self_word(&b);
  EXPECT_EQ(load_self_word(), &b);
  weft_self_word = &a;
  asm volatile("" ::: "memory");  // load_self_word is not ordered after a plain store
  EXPECT_EQ(load_self_word(), &a);
  store_self_word(nullptr);
}

TEST(self_word, differs_by_thread_and_begins_null) {
  int mine = 0;
  store_self_word(&mine);
  void* first = &mine;
  void* second = nullptr;
  int other = 0;
  std::thread([&] {
    first = load_self_word();
    store_self_word(&other);
    second = load_self_word();
  }).join();
  EXPECT_EQ(first, nullptr);
  EXPECT_EQ(second, &other);
  EXPECT_EQ(load_self_word(), &mine);
  store_self_word(nullptr);
}

std::vector<void*> seen_inlined;
std::vector<void*> seen_out_of_line;
constexpr int moves = 10;

WEFT_NOINLINE void* load_out_of_line() noexcept { return load_self_word(); }

// Loads and switches in one loop of one function: all a compiler needs to keep the address.
void wanders() noexcept {
  arrive();
  for (int i = 0; i < moves; i++) {
    void* const inlined = load_self_word();
    seen_out_of_line.push_back(load_out_of_line());
    seen_inlined.push_back(inlined);
    go_outside();
  }
  finish();
}

TEST(self_word, follows_a_flow_from_thread_to_thread) {
  flow there(wanders);
  inside = &there;
  int words[moves + 1] = {};
  std::vector<void*> expected;
  for (int i = 0; i < moves; i++) expected.push_back(&words[i]);
  for (int& word : words) {
    std::thread([&] {
      store_self_word(&word);
      flow here;
      here.visit(there);
    }).join();
  }
  inside = nullptr;
  EXPECT_EQ(seen_inlined, expected);
  EXPECT_EQ(seen_out_of_line, expected);
}

}  // namespace
}  // namespace weft::rt::test
