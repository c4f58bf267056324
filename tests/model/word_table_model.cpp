// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of empty words: readers without a lock against who empties, use against growing and
// shrinking.
#include "lockfree/word_table.hpp"
#include "model.hpp"

namespace {

// One bucket at first; a line's number is its hash, so that line n + 1 goes to the second bucket.
struct model_env {
  static std::uint64_t hash(std::uintptr_t line) { return line; }
  static void pause(unsigned spun) { weft::model::pause(spun); }
  static bool prepare() { return true; }
  static void* reserve(std::size_t bytes);
  static void discard(void* p, std::size_t bytes);
  static void* take(std::size_t bytes) { return std::malloc(bytes); }
  static void give(void* p, std::size_t) { std::free(p); }
  static bool gone(std::uintptr_t) { return false; }
  static constexpr std::uint64_t first_buckets = 1;
  inline static std::uint64_t crowded_buckets = 0;  // by the suite
  static constexpr std::uint64_t most_buckets = 4;
  static constexpr std::uint64_t least_buckets = 4;
  static constexpr std::uint32_t crowd = 1;
};
using table = weft::rt::word_table<model_env>;
using mark = table::mark;

alignas(table::bucket) std::byte range[model_env::most_buckets * sizeof(table::bucket)];

void* model_env::reserve(std::size_t) {
  for (std::size_t i = 0; i < most_buckets; ++i)
    new (range + i * sizeof(table::bucket)) table::bucket();
  return range;
}
// Zeros, as pages that were given back read.
void model_env::discard(void* p, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += sizeof(table::bucket))
    reinterpret_cast<table::bucket*>(static_cast<std::byte*>(p) + at)->state.store_relaxed(0);
}

constexpr std::uintptr_t word_in(std::uintptr_t line) { return line * weft::rt::line_bytes; }

struct table_suite_state {
  table words;
  bool plainly = false;  // by the calls that do all in one, where they do

  static bool agree(const table::held&) { return true; }

  void set_empty(std::uintptr_t word) {
    if (plainly && words.empty_plainly(word, agree)) return;
    table::held h = words.close(word);
    mark m = words.set_empty(h, word);
    if (m == mark::no_room) {
      words.open(h);
      table::more_line* spare = words.spare_line();
      spare->next = nullptr;
      h = words.close(word);
      h.spare = spare;
      m = words.set_empty(h, word);
    }
    RL_ASSERT(m == mark::done);
    words.open(h);
  }
  void set_full(std::uintptr_t word) {
    if (plainly && words.fill_plainly(word, agree)) return;
    table::held h = words.close(word);
    RL_ASSERT(words.set_full(h, word) == mark::done);
    words.open(h);
  }
  // The atomics of the range end with the run.
  void end() {
    if (words.buckets() == 0) return;
    for (std::size_t i = 0; i < model_env::most_buckets; ++i)
      reinterpret_cast<table::bucket*>(range + i * sizeof(table::bucket))->~bucket();
  }
  bool is_empty(std::uintptr_t word) {
    table::held h = words.close(word);
    const bool is = words.is_empty(h, word);
    words.open(h);
    return is;
  }
};

// A word goes full (1), empty (a value that nobody may read), full (2); what precedes the second
// filling is seen by who reads it, however it reads.
template <bool Plainly>
struct read_and_empty : rl::test_suite<read_and_empty<Plainly>, 3>, table_suite_state {
  static constexpr std::uintptr_t word = word_in(1);
  weft::rt::atomic<std::uint64_t> value{1};
  rl::var<int> before_two;

  void before() { before_two(RL_INFO) = 0; }
  void after() { end(); }
  void thread(unsigned who) {
    if (who == 0) {
      RL_ASSERT(words.ready());
      const auto put = [this](std::uint64_t v) {
        return [this, v](const table::held&) {
          value.store_release(v);
          return true;
        };
      };
      if (Plainly) {
        RL_ASSERT(words.empty_plainly(word, put(666)));
        before_two(RL_INFO) = 1;
        RL_ASSERT(words.fill_plainly(word, put(2)));
        return;
      }
      table::held h = words.close(word);
      RL_ASSERT(words.set_empty(h, word) == mark::done);
      value.store_release(666);
      words.open(h);
      before_two(RL_INFO) = 1;
      h = words.close(word);
      RL_ASSERT(words.set_full(h, word) == mark::done);
      value.store_release(2);
      words.open(h);
      return;
    }
    for (int i = 0; i < 2; ++i) {
      std::uint64_t seen = 0;
      const auto load_acquire = [&] { return value.load_acquire(); };
      if (!words.read_full(word, load_acquire, seen)) continue;
      RL_ASSERT(seen == 1 || seen == 2);
      if (seen == 2) RL_ASSERT(before_two(RL_INFO) == 1);
    }
  }
};

// A fill that writes nothing publishes what precedes it all the same: the reader sees by the state,
// or by the entry that is new before the state is, that somebody was inside. Variant: what else the
// bucket holds, and which word a third thread empties, perhaps in the place of the first.
enum class beside { nothing, line_mate, other_line, line_mate_after, other_line_after };
constexpr bool comes_after(beside variant) { return variant >= beside::line_mate_after; }
template <beside Variant, bool Plainly>
struct fill_publishes
    : rl::test_suite<fill_publishes<Variant, Plainly>, comes_after(Variant) ? 3 : 2>,
      table_suite_state {
  static constexpr std::uintptr_t word = word_in(1);
  static constexpr std::uintptr_t other =
      Variant == beside::line_mate || Variant == beside::line_mate_after ? word + 8 : word_in(2);
  rl::var<int> data;

  void before() {
    data(RL_INFO) = 0;
    plainly = Plainly;
    RL_ASSERT(words.ready());
    set_empty(word);
    if (Variant == beside::line_mate || Variant == beside::other_line) set_empty(other);
    if (Variant == beside::line_mate_after) set_empty(word + 16);  // keeps the line's entry
  }
  void after() { end(); }
  void thread(unsigned who) {
    if (who == 0) {
      data(RL_INFO) = 1;
      set_full(word);
      return;
    }
    if (who == 2) return set_empty(other);
    std::uint64_t seen = 0;
    if (words.read_full(word, [] { return std::uint64_t{1}; }, seen) || !is_empty(word))
      RL_ASSERT(data(RL_INFO) == 1);
  }
};

// One thread visits all buckets, another uses one.
struct visit_and_use : rl::test_suite<visit_and_use, 2>, table_suite_state {
  rl::var<int> under_lock;

  void before() {
    under_lock(RL_INFO) = 0;
    RL_ASSERT(words.ready());
  }
  void thread(unsigned who) {
    const auto touch = [&] { under_lock(RL_INFO) = under_lock(RL_INFO) + 1; };
    if (who == 0) {
      words.for_each([&](table::held&) { touch(); });
      return;
    }
    for (int i = 0; i < 2; ++i) {
      table::held h = words.close(word_in(1));
      touch();
      words.open(h);
    }
  }
  void after() {
    RL_ASSERT(under_lock(RL_INFO) == 3);
    end();
  }
};

// Who tries in vain keeps the bucket closed, and opens it for others as it was.
struct refuse_and_use : rl::test_suite<refuse_and_use, 3>, table_suite_state {
  rl::var<int> under_lock;

  void before() {
    under_lock(RL_INFO) = 0;
    RL_ASSERT(words.ready());
  }
  void touch() { under_lock(RL_INFO) = under_lock(RL_INFO) + 1; }
  void in_vain(const table::held& h) {
    touch();
    words.reopen(h);
  }
  void thread(unsigned who) {
    if (who == 0) {
      const table::held h = words.close(word_in(1));
      RL_ASSERT(!table::fill_and_open(h, word_in(1), agree));  // it is full
      in_vain(h);
    } else if (who == 1) {
      table::held h = words.close(word_in(2));
      RL_ASSERT(!table::empty_and_open(h, word_in(2), [](const table::held&) { return false; }));
      in_vain(h);
      const auto agree_inside = [this](const table::held&) {
        touch();
        return true;
      };
      h = words.close_at_once(word_in(2));
      if (h.state == 0) h = words.close(word_in(2));
      RL_ASSERT(table::empty_and_open(h, word_in(2), agree_inside));
    } else {
      table::held h = words.close(word_in(1));
      touch();
      words.open(h);
    }
  }
  void after() {
    RL_ASSERT(under_lock(RL_INFO) == 4);
    RL_ASSERT(!is_empty(word_in(1)) && is_empty(word_in(2)));
    end();
  }
};

// What is guarded by the bucket of a word of the first or of the second.
struct guarded_buckets : table_suite_state {
  rl::var<int> under_lock[2];

  void begin_guard() {
    for (rl::var<int>& v : under_lock) v(RL_INFO) = 0;
  }
  void touch(std::uintptr_t line) {
    table::held h = words.close(word_in(line));
    rl::var<int>& v = under_lock[line % 2];
    v(RL_INFO) = v(RL_INFO) + 1;
    words.open(h);
  }
};

// One thread brings the entry that makes the table grow, others use words of both buckets.
struct grow_and_use : rl::test_suite<grow_and_use, 3>, guarded_buckets {
  void before() {
    RL_ASSERT(words.ready());
    for (std::uintptr_t line = 2; line < 7; ++line) set_empty(word_in(line));
    begin_guard();
  }
  void thread(unsigned who) {
    if (who == 1) {
      set_empty(word_in(8));
      touch(3);
    } else if (who == 0) {
      touch(2);
      touch(3);
      set_full(word_in(5));
      std::uint64_t seen = 0;
      RL_ASSERT(!words.read_full(word_in(3), [] { return std::uint64_t{1}; }, seen));
    } else {
      touch(3);
      touch(2);
      RL_ASSERT(is_empty(word_in(6)));
      std::uint64_t seen = 0;
      RL_ASSERT(!words.read_full(word_in(6), [] { return std::uint64_t{1}; }, seen));
    }
  }
  void after() {
    RL_ASSERT(under_lock[0](RL_INFO) == 2 && under_lock[1](RL_INFO) == 3);
    for (const std::uintptr_t line : {2, 3, 4, 6, 8}) {
      RL_ASSERT(is_empty(word_in(line)));
      set_full(word_in(line));
    }
    RL_ASSERT(!is_empty(word_in(5)));
    end();
  }
};

// Two buckets become one, and perhaps two again, while others use them.
struct shrink_and_use : rl::test_suite<shrink_and_use, 3>, table_suite_state {
  weft::rt::atomic<std::uint64_t> value{1};

  void before() {
    RL_ASSERT(words.ready());
    for (std::uintptr_t line = 2; line < 8; ++line) set_empty(word_in(line));
    RL_ASSERT(words.buckets() == 2);
    for (std::uintptr_t line = 4; line < 8; ++line) set_full(word_in(line));
    words.shrink_now();
    RL_ASSERT(words.buckets() == 1);
    for (std::uintptr_t line = 4; line < 8; ++line) set_empty(word_in(line));
    RL_ASSERT(words.buckets() == 2);
    for (std::uintptr_t line = 4; line < 8; ++line) set_full(word_in(line));
  }
  void thread(unsigned who) {
    if (who == 1) {
      words.shrink_now();
    } else if (who == 0) {
      // Line 5 comes and goes in the second bucket, with a value that nobody may read meanwhile.
      table::held h = words.close(word_in(5));
      RL_ASSERT(words.set_empty(h, word_in(5)) == mark::done);
      value.store_release(666);
      words.open(h);
      RL_ASSERT(is_empty(word_in(3)));
    } else {
      std::uint64_t seen = 0;
      const auto load_acquire = [&] { return value.load_acquire(); };
      if (words.read_full(word_in(5), load_acquire, seen)) RL_ASSERT(seen == 1);
      RL_ASSERT(!words.read_full(word_in(3), load_acquire, seen));
    }
  }
  void after() {
    for (const std::uintptr_t line : {2, 3, 5}) {
      RL_ASSERT(is_empty(word_in(line)));
      set_full(word_in(line));
    }
    end();
  }
};

// What comes into a bucket from one that is merged with it is there for who closes it next, also if
// he still thinks that there are two.
struct merge_and_look : rl::test_suite<merge_and_look, 2>, table_suite_state {
  weft::rt::word_note note;

  void before() {
    RL_ASSERT(words.ready());
    for (std::uintptr_t line = 2; line < 8; ++line) set_empty(word_in(line));
    RL_ASSERT(words.buckets() == 2);
    for (std::uintptr_t line = 4; line < 8; ++line) set_full(word_in(line));
    note.word = word_in(3);
    table::held h = words.close(note.word);
    table::add_note(h, note);
    words.open(h);
  }
  void thread(unsigned who) {
    if (who == 0) {
      words.shrink_now();
    } else {
      table::held h = words.close(word_in(2));
      RL_ASSERT(h.at->notes.find(word_in(2)) == nullptr);
      words.open(h);
    }
  }
  void after() {
    RL_ASSERT(words.buckets() == 1);
    table::held h = words.close(note.word);
    RL_ASSERT(table::find_note(h, note.word) == &note);
    table::remove_note(h, note, note.word);
    words.open(h);
    for (const std::uintptr_t line : {2, 3}) set_full(word_in(line));
    end();
  }
};

// Notes of words go with them where one bucket becomes two, or two become one, and so does what the
// state says of them. Grows: of words in both buckets; else in the second alone, as others are not
// merged. Mixed: words of two lines with the same place in them, for which one bit of one bucket
// stands.
template <bool Grows, bool Mixed>
struct notes_and_resize : rl::test_suite<notes_and_resize<Grows, Mixed>, 3>, table_suite_state {
  static constexpr unsigned count = 4;
  weft::rt::word_note notes[count];
  rl::var<int> under_lock[2];

  static constexpr std::uintptr_t line_of(unsigned i) {
    return 2 + (Grows ? i % 2 : 1 + i % 2 * 2);
  }
  static constexpr std::uintptr_t word_of(unsigned i) {
    return word_in(line_of(i)) + 8 * (Mixed ? i / 2 : i);
  }
  void touch(unsigned i) {
    rl::var<int>& v = under_lock[line_of(i) % 2];
    v(RL_INFO) = v(RL_INFO) + 1;
  }
  void note(unsigned i) {
    notes[i].word = word_of(i);
    table::held h = words.close(word_of(i));
    RL_ASSERT(table::find_note(h, word_of(i)) == nullptr);
    table::add_note(h, notes[i]);
    touch(i);
    words.open(h);
  }
  void forget(unsigned i) {
    table::held h = words.close(word_of(i));
    RL_ASSERT(table::find_note(h, word_of(i)) == &notes[i]);
    table::remove_note(h, notes[i], notes[i].word);
    RL_ASSERT(h.at->notes.find(word_of(i)) == nullptr);
    touch(i);
    words.open(h);
  }
  void before() {
    for (rl::var<int>& v : under_lock) v(RL_INFO) = 0;
    RL_ASSERT(words.ready());
    for (std::uintptr_t line = 2; line < 7; ++line) set_empty(word_in(line));
    if (!Grows) {
      set_empty(word_in(7));
      for (std::uintptr_t line = 4; line < 8; ++line) set_full(word_in(line));
      RL_ASSERT(words.buckets() == 2);
    }
    note(0);
    note(1);
  }
  void thread(unsigned who) {
    if (who == 1) {
      if (Grows) {
        set_empty(word_in(8));
      } else {
        words.shrink_now();
      }
      return;
    }
    const unsigned mine = who / 2;
    note(2 + mine);
    forget(1 - mine);
  }
  void after() {
    RL_ASSERT(words.buckets() == (Grows ? 2 : 1));
    forget(2);
    forget(3);
    RL_ASSERT(under_lock[0](RL_INFO) + under_lock[1](RL_INFO) == 2 * count);
    for (const std::uintptr_t line : {2, 3}) {
      RL_ASSERT(is_empty(word_in(line)));
      table::held h = words.close(word_in(line));
      RL_ASSERT(h.at->notes.empty());
      for (unsigned i = 0; i < 8; ++i) RL_ASSERT(!table::may_be_noted(h, word_in(line) + 8 * i));
      words.open(h);
    }
    end();
  }
};

// The table is made, grows and shrinks while others use and read it: who finds it ready, by
// whichever shape and without having made it, sees it whole.
struct make_and_use : rl::test_suite<make_and_use, 3>, table_suite_state {
  weft::rt::atomic<int> grown{0};  // tells nothing else

  void thread(unsigned who) {
    if (who == 0) {
      RL_ASSERT(words.ready());
      return;
    }
    if (who == 2 && rl::rand(2) == 0)
      while (grown.load_relaxed() == 0) weft::model::pause(0);
    while (words.buckets() == 0) weft::model::pause(0);
    if (who == 1) {
      for (std::uintptr_t line = 2; line < 8; ++line) set_empty(word_in(line));
      grown.store_relaxed(1);
      for (std::uintptr_t line = 3; line < 8; ++line) set_full(word_in(line));
      words.shrink_now();
    } else if (rl::rand(2) == 0) {
      std::uint64_t seen = 0;
      (void)words.read_full(word_in(9), [] { return std::uint64_t{1}; }, seen);
    } else {
      RL_ASSERT(!is_empty(word_in(9)));
    }
  }
  void after() {
    RL_ASSERT(is_empty(word_in(2)));
    end();
  }
};

// One makes two buckets one while another brings entries, which make them two again.
struct resize_together : rl::test_suite<resize_together, 2>, table_suite_state {
  void before() {
    RL_ASSERT(words.ready());
    for (std::uintptr_t line = 2; line < 8; ++line) set_empty(word_in(line));
    for (std::uintptr_t line = 4; line < 8; ++line) set_full(word_in(line));
    RL_ASSERT(words.buckets() == 2);
  }
  void thread(unsigned who) {
    if (who == 1) {
      words.shrink_now();
    } else {
      while (words.buckets() != 1) weft::model::pause(0);
      for (const std::uintptr_t line : {4, 5, 6, 8}) set_empty(word_in(line));
    }
  }
  void after() {
    RL_ASSERT(words.buckets() == 2);
    for (const std::uintptr_t line : {2, 3, 4, 5, 6, 8}) RL_ASSERT(is_empty(word_in(line)));
    end();
  }
};

// A line that stood outside takes the place of the one that was read.
struct outside_comes_in : rl::test_suite<outside_comes_in, 2>, table_suite_state {
  static constexpr std::uintptr_t word = word_in(4);
  weft::rt::atomic<std::uint64_t> value{666};

  void before() {
    RL_ASSERT(words.ready());
    for (std::uintptr_t line = 4; line <= 24; line += 4) set_empty(word_in(line));
    set_full(word_in(24));
    RL_ASSERT(words.buckets() == model_env::most_buckets);
  }
  void thread(unsigned who) {
    if (who == 1) {
      set_empty(word_in(24));
      table::held h = words.close(word);
      value.store_release(2);
      RL_ASSERT(words.set_full(h, word) == mark::done);
      words.open(h);
      return;
    }
    std::uint64_t seen = 0;
    if (words.read_full(word, [this] { return value.load_acquire(); }, seen)) RL_ASSERT(seen == 2);
  }
  void after() {
    for (std::uintptr_t line = 8; line <= 24; line += 4) {
      RL_ASSERT(is_empty(word_in(line)));
      set_full(word_in(line));
    }
    end();
  }
};

// Each meeting of closers brings a bucket, while others use the table and make it smaller again.
struct meet_and_spread : rl::test_suite<meet_and_spread, 3>, guarded_buckets {
  meet_and_spread() { model_env::crowded_buckets = model_env::most_buckets; }
  ~meet_and_spread() { model_env::crowded_buckets = 0; }

  void before() {
    RL_ASSERT(words.ready());
    for (std::uintptr_t line = 4; line <= 16; line += 4) set_empty(word_in(line));
    begin_guard();
  }
  void thread(unsigned who) {
    touch(2);
    touch(3);
    if (who == 0) words.shrink_now();
    // The bucket that had four lines has one after that.
    if (who == 1)
      for (const std::uintptr_t line : {8, 12, 16}) set_full(word_in(line));
  }
  void after() {
    for (rl::var<int>& v : under_lock) RL_ASSERT(v(RL_INFO) == 3);
    RL_ASSERT(is_empty(word_in(4)));
    for (const std::uintptr_t line : {8, 12, 16}) RL_ASSERT(!is_empty(word_in(line)));
    end();
  }
};

template <bool Plainly>
bool readers_are_right() {
  using weft::model::holds;
  return holds<read_and_empty<Plainly>>(100000) &&
         holds<fill_publishes<beside::nothing, Plainly>>(30000) &&
         holds<fill_publishes<beside::line_mate, Plainly>>(30000) &&
         holds<fill_publishes<beside::other_line, Plainly>>(30000) &&
         holds<fill_publishes<beside::line_mate_after, Plainly>>(200000) &&
         holds<fill_publishes<beside::other_line_after, Plainly>>(200000);
}

bool notes_go_with_their_words() {
  using weft::model::holds;
  return holds<notes_and_resize<true, true>>(30000) &&
         holds<notes_and_resize<true, false>>(30000) &&
         holds<notes_and_resize<false, true>>(30000) &&
         holds<notes_and_resize<false, false>>(30000);
}

}  // namespace

int main() {
  using weft::model::holds;
  return readers_are_right<false>() && readers_are_right<true>() && holds<visit_and_use>(20000) &&
                 holds<refuse_and_use>(20000) && holds<grow_and_use>(100000) &&
                 holds<shrink_and_use>(60000) && holds<merge_and_look>(20000) &&
                 notes_go_with_their_words() && holds<make_and_use>(60000) &&
                 holds<resize_together>(20000) && holds<outside_comes_in>(50000) &&
                 holds<meet_and_spread>(100000)
             ? 0
             : 1;
}
