// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Full/empty bits: the short ways without waiters, and the ways through the word's group.
#include "sync/word.hpp"

#include <new>
#include <type_traits>

#include "arch/fiber_notes.hpp"
#include "mem/raw.hpp"
#include "os/memory.hpp"
#include "os/process.hpp"
#include "sched/aside.hpp"
#include "sched/ready.hpp"
#include "sched/switch.hpp"
#include "sync/word_turn.hpp"

namespace weft::rt {

// Who stood in a bucket, or made the table, does not exist in the child.
bool word_env::prepare() noexcept {
  static constinit os::child_call call(words_forget_all);
  return call.is_registered();
}
void* word_env::reserve(std::size_t bytes) noexcept { return os::reserve(bytes); }
void word_env::discard(void* p, std::size_t bytes) noexcept {
  const std::size_t page = os::page_bytes();
  // A table's page may be smaller than the system's; then its buckets stay in memory.
  if (reinterpret_cast<uintptr_t>(p) % page == 0) os::discard(p, bytes / page * page);
}
void* word_env::take(std::size_t bytes) noexcept {
  void* p = raw_alloc(bytes);
  if (p != nullptr) notes::known_to_mapping(p);
  return p;
}
void word_env::give(void* p, std::size_t bytes) noexcept { raw_free(p, bytes); }
bool word_env::gone(uintptr_t line) noexcept {
  return !os::is_mapped(reinterpret_cast<void*>(line * line_bytes));
}

namespace {

class word_cell {
 public:
  explicit word_cell(const uint64_t* at) noexcept : at_(const_cast<uint64_t*>(at)) {}
  // Closed already.
  word_cell(const uint64_t* at, const words_table::held& closed) noexcept : word_cell(at) {
    held_ = closed;
  }
  ~word_cell() {
    if (room_ != nullptr) word_env::give(room_, sizeof *room_);
  }
  word_cell(const word_cell&) = delete;
  word_cell& operator=(const word_cell&) = delete;

  uintptr_t key() const noexcept { return reinterpret_cast<uintptr_t>(at_); }
  words_table::held& held() noexcept { return held_; }
  WEFT_ALWAYS_INLINE void lock() noexcept {
    held_ = words.close(key());
    held_.spare = room_;
    room_ = nullptr;
  }
  void unlock() noexcept { words.open(held_); }  // last use of *this, if a waiter's stack holds it
  bool empty() const noexcept { return words.is_empty(held_, key()); }
  uint64_t value() const noexcept {
    return atomic_place(at_).load_relaxed();  // via: the bucket
  }
  void put(uint64_t value) noexcept {
    atomic_place(at_).store_release(value);  // word_V1 -> word_V2
  }
  bool set_empty() noexcept { return words.set_empty(held_, key()) == words_table::mark::done; }
  void set_full() noexcept { (void)words.set_full(held_, key()); }
  bool get_room() noexcept {
    room_ = words.spare_line();
    if (room_ == nullptr) return false;
    room_->next = nullptr;
    return true;
  }

 private:
  uint64_t* at_;
  words_table::held held_;
  words_table::more_line* room_ = nullptr;
};

constexpr const char* kind = "full/empty word";

// With the word's bucket closed already, where `closed` has one.
WEFT_NOINLINE int act(const uint64_t* word, word_want want, uint64_t& value, int64_t deadline_ns,
                      void* site, wait_note note = nullptr,
                      const words_table::held& closed = {}) noexcept {
  // With no bucket closed: a caller that is parted closes its own word's, which may be the same
  // one.
  bool is_closed = closed.at != nullptr;
  worker* const w = self();
  if (w != nullptr && deadline_ns != at_once && is_called_aside(*w)) [[unlikely]] {
    if (is_closed) words.reopen(closed);
    is_closed = false;
    part_from_callers(*w);
  }
  word_cell c(word, closed);
  return word_act(c, kind, word, want, value, deadline_ns, site, note, is_closed);
}

// A task that runs the producer of the word that it reads, and goes on when that has ended. If the
// producer leaves its stack before, the reader waits as any other from then on.
struct aside_reader : aside_call {
  aside_reader(const uint64_t* w, void* from) noexcept : aside_call{w, part}, word(w), site(from) {}
  ~aside_reader() {}  // of nothing
  aside_reader(const aside_reader&) = delete;
  aside_reader& operator=(const aside_reader&) = delete;

  // As a reader that waits.
  struct standing {
    standing(task* reader, const aside_reader& me) noexcept
        : waits(reader, kind, me.word, me.site), in_group(waits, word_want::read_ff, 0) {}
    wait waits;
    word_waiter in_group;
  };
  static_assert(std::is_trivially_destructible_v<standing>);

  const uint64_t* const word;
  void* const site;
  bool served = false;  // by the producer, or because the word was full when it was parted
  bool stood = false;
  uint64_t value = 0;  // if it was served
  union {
    standing stands;  // if it stood: most readers never do, and pay nothing for it
  };

  static void part(worker& w, aside_call& c) noexcept {
    auto& me = static_cast<aside_reader&>(c);
    task* const reader = me.caller;
    if (!me.served) {
      word_cell cell(me.word);
      cell.lock();
      if (cell.empty()) {
        new (&me.stands) standing(reader, me);
        me.stood = true;
        w.begun.show(reader->on.get()->waits, kind, me.word, me.site, reader);
        notes::release(reader);
        stand(cell, find_group(cell), me.stands.in_group);
        cell.unlock();  // last use of me
        return;
      }
      me.value = cell.value();
      me.served = true;
      cell.unlock();
    }
    make_ready(&w, reader);
  }
};

// Runs a fresh task that will fill the word, and waits for that. False: there is no value yet, or
// no stack.
WEFT_ALWAYS_INLINE bool read_by_running(worker& w, task& producer, const uint64_t* word,
                                        uint64_t& value, void* site, wait_note note) noexcept {
  aside_reader me(word, site);
  if (note != nullptr) note(1);
  const int failed = call_aside(w, producer, me);
  if (note != nullptr) note(0);
  if (failed != 0) [[unlikely]] {
    send_anywhere(&w, &producer, &producer);
    return false;
  }
  bool came = me.served;
  value = me.value;
  if (me.stood) [[unlikely]] {
    self()->on.get()->waits.hide();
    value = me.stands.in_group.value;
    came = true;
  }
  notes::forget(&me, &me + 1);  // the loop that came back read it, in no order that TSan knows
  return came;
}

// The producer of an empty word, if it stands unstarted in the caller's own queue; out of it. Null:
// no.
task* take_producer(const uint64_t* word) noexcept {
  word_cell c(word);
  c.lock();
  const word_group* g = find_group(c);
  task* const t =
      g != nullptr && g->producer != nullptr ? take_unstarted(g->producer->who) : nullptr;
  c.unlock();
  return t;
}

// The word's value, by who produces it: to who called the producer for it, if that waits still. The
// reader, which goes on when the producer has ended; or null.
WEFT_ALWAYS_INLINE task* serve_caller(const uint64_t* word, uint64_t value) noexcept {
  const worker* w = self();
  aside_call* c = w != nullptr ? w->on.get()->aside.get() : nullptr;
  if (c == nullptr) return nullptr;
  notes::acquire(c);
  if (c->object != word) return nullptr;
  auto& reader = static_cast<aside_reader&>(*c);
  reader.value = value;
  reader.served = true;
  return reader.caller;
}

WEFT_COLD int empty_slow(uint64_t* word, const uint64_t* value, word_producer* p) noexcept {
  if (!words.ready()) return -ENOMEM;
  word_cell c(word);
  return word_empties(c, value, p);
}

WEFT_COLD int fill_slow(uint64_t* word, const uint64_t* value, word_producer* p) noexcept {
  if (!words.ready()) return -ENOMEM;
  word_cell c(word);
  return word_fills(c, value, p);
}

WEFT_COLD bool word_is_empty(const uint64_t* word) noexcept {
  word_cell c(word);
  c.lock();
  const bool empty = c.empty();
  c.unlock();
  return empty;
}

// The word's bucket, closed by the caller (at, state), or by this. No memory for the table: null.
WEFT_ALWAYS_INLINE words_table::held closed_bucket(const uint64_t* word, words_table::bucket* at,
                                                   uint64_t state) noexcept {
  if (state != 0) return {at, state};
  return words.ready() ? words.close(word_address(word)) : words_table::held{};
}

// With the word's bucket closed by the caller.
WEFT_NOINLINE int read_fe_closed(uint64_t* word, uint64_t* out, int64_t deadline_ns, void* site,
                                 wait_note note, words_table::bucket* at, uint64_t state) noexcept {
  uint64_t value = 0;
  const int failed = act(word, word_want::read_fe, value, deadline_ns, site, note, {at, state});
  if (failed == 0) give_read(value, word, out);
  return failed;
}
WEFT_NOINLINE int write_ef_closed(uint64_t* word, uint64_t value, int64_t deadline_ns, void* site,
                                  wait_note note, words_table::bucket* at,
                                  uint64_t state) noexcept {
  return act(word, word_want::write_ef, value, deadline_ns, site, note, {at, state});
}

}  // namespace

bool word_is_full(const uint64_t* word) noexcept {
  uint64_t value = 0;
  if (words.read_full(word_address(word), [&] { return uint64_t{0}; }, value)) return true;
  return !word_is_empty(word);
}

int word_read_ff_slow(const uint64_t* word, uint64_t* out, int64_t deadline_ns, void* site,
                      wait_note note) noexcept {
  uint64_t value = 0;
  worker* const w = self();
  const task* const me = current_task(w);
  if (deadline_ns == forever && me != nullptr && !me->has(flag_stackless | flag_cancellable)) {
    task* t = take_unstarted_for(*w, word);
    if (t == nullptr) t = take_producer(word);
    if (t != nullptr && read_by_running(*w, *t, word, value, site, note)) {
      give_read(value, word, out);
      return 0;
    }
  }
  // Who tries and then waits pays for one wait, not for two.
  if (deadline_ns == at_once && word_is_empty(word)) return -EBUSY;
  const int failed = act(word, word_want::read_ff, value, deadline_ns, site, note);
  if (failed != 0) return failed;
  give_read(value, word, out);
  return 0;
}

int word_read_fe_slow(uint64_t* word, uint64_t* out, void* site, wait_note note,
                      words_table::bucket* at, uint64_t state) noexcept {
  const words_table::held h = closed_bucket(word, at, state);
  if (h.state == 0) return -ENOMEM;
  uint64_t value = 0;
  if (read_from_turn(h, word, value) || (state == 0 && word_read_and_empty(h, word, value))) {
    give_read(value, word, out);
    return 0;
  }
  const int failed = wait_turn(h, word, word_want::read_fe, value, kind, site, note);
  if (failed > 0) return read_fe_closed(word, out, forever, site, note, h.at, h.state);
  if (failed == 0) give_read(value, word, out);
  return failed;
}
int word_read_fe_late(uint64_t* word, uint64_t* out, int64_t deadline_ns, void* site,
                      words_table::bucket* at, uint64_t state) noexcept {
  const words_table::held h = closed_bucket(word, at, state);
  return h.state != 0 ? read_fe_closed(word, out, deadline_ns, site, nullptr, h.at, h.state)
                      : -ENOMEM;
}

int word_write_ef_slow(uint64_t* word, uint64_t value, void* site, wait_note note,
                       words_table::bucket* at, uint64_t state) noexcept {
  const words_table::held h = closed_bucket(word, at, state);
  if (h.state == 0) return -ENOMEM;
  if (write_to_turn(h, word, value)) return 0;
  if (state == 0 && word_write_and_fill(h, word, value)) return 0;
  uint64_t unread = value;
  const int failed = wait_turn(h, word, word_want::write_ef, unread, kind, site, note);
  return failed > 0 ? write_ef_closed(word, value, forever, site, note, h.at, h.state) : failed;
}
int word_write_ef_late(uint64_t* word, uint64_t value, int64_t deadline_ns, void* site,
                       words_table::bucket* at, uint64_t state) noexcept {
  const words_table::held h = closed_bucket(word, at, state);
  return h.state != 0 ? write_ef_closed(word, value, deadline_ns, site, nullptr, h.at, h.state)
                      : -ENOMEM;
}

int word_write_ff(uint64_t* word, uint64_t value, int64_t deadline_ns, void* site) noexcept {
  return words.ready() ? act(word, word_want::write_ff, value, deadline_ns, site) : -ENOMEM;
}

int word_fill_ef(uint64_t* word, int64_t deadline_ns, void* site, wait_note note) noexcept {
  uint64_t unread = 0;
  return words.ready() ? act(word, word_want::fill_ef, unread, deadline_ns, site, note) : -ENOMEM;
}

int word_write_f(uint64_t* word, uint64_t value) noexcept {
  return fill_slow(word, &value, nullptr);
}

namespace {

// Whether nobody waits at a word, as fill_plainly() and empty_plainly() ask inside.
struct nobody_at {
  uintptr_t word;
  bool operator()(const words_table::held& h) const noexcept {
    return !words_table::may_be_noted(h, word);
  }
};

}  // namespace

int word_fill(uint64_t* word) noexcept {
  return words.fill_plainly(word_address(word), nobody_at{word_address(word)})
             ? 0
             : fill_slow(word, nullptr, nullptr);
}

int word_empty(uint64_t* word) noexcept {
  return words.empty_plainly(word_address(word), nobody_at{word_address(word)})
             ? 0
             : empty_slow(word, nullptr, nullptr);
}

int word_purge_to(uint64_t* word, uint64_t value) noexcept {
  return empty_slow(word, &value, nullptr);
}

int word_set_producer(uint64_t* word, word_producer& p) noexcept {
  const uintptr_t key = word_address(word);
  const auto name = [&](words_table::held& h) {
    if (words_table::may_be_noted(h, key)) [[unlikely]]
      return false;
    p.named = true;
    p.group.producer = &p;
    p.group.word = key;
    words_table::add_note(h, p.group);
    return true;
  };
  return words.empty_plainly(key, name) ? 0 : empty_slow(word, nullptr, &p);
}

int word_produce(uint64_t* word, word_producer& p, uint64_t value) noexcept {
  const uintptr_t key = word_address(word);
  task* const reader = serve_caller(word, value);
  const auto put = [&](words_table::held& h) {
    word_group& g = p.group;
    // It is named in its own group, or in a waiter's; or was, by the parent of this process.
    if (!p.named || !words_table::may_be_noted(h, key) || g.producer != &p || !g.readers.empty() ||
        !g.writers.empty() || !g.turn.empty()) [[unlikely]]
      return false;
    words_table::remove_note(h, g, key);
    p.named = false;
    atomic_place(word).store_release(value);  // word_V1 -> word_V2
    return true;
  };
  const int failed = words.fill_plainly(key, put) ? 0 : fill_slow(word, &value, &p);
  if (reader != nullptr) notes::release(reader);
  return failed;
}

int word_write_last(uint64_t* word, uint64_t value) noexcept {
  const uintptr_t key = word_address(word);
  task* const reader = serve_caller(word, value);
  const auto put = [&](const words_table::held& h) {
    if (words_table::may_be_noted(h, key)) [[unlikely]]
      return false;
    atomic_place(word).store_release(value);  // word_V1 -> word_V2
    return true;
  };
  const int failed = words.fill_plainly(key, put) ? 0 : fill_slow(word, &value, nullptr);
  if (reader != nullptr) notes::release(reader);
  return failed;
}

void word_disown(uint64_t* word, word_producer& p) noexcept {
  if (words.buckets() == 0) {  // in a child of fork(): there is nothing to close, all are full
    p.named = false;
    return;
  }
  word_cell c(word);
  word_disowns(c, p);
}

int word_stand(uint64_t* word, word_waiter& n) noexcept {
  if (!words.ready()) return -ENOMEM;
  word_cell c(word);
  c.lock();
  if (c.empty() == wants_empty(n.want)) {
    c.unlock();
    return -EALREADY;
  }
  stand(c, find_group(c), n);
  c.unlock();
  return 0;
}

void word_leave(uint64_t* word, word_waiter& n) noexcept {
  word_cell c(word);
  c.lock();
  if (n.queued) leave(c, n);
  c.unlock();
}

void words_forget_tasks() noexcept {
  if (words.buckets() == 0) return;
  words.for_each([](words_table::held& h) {
    h.at->notes.for_each([&](word_note& n) {
      auto& g = static_cast<word_group&>(n);
      drop_producer(g);
      served calls;
      drop_tasks(g.readers, calls);
      drop_tasks(g.writers, calls);
      drop_tasks(g.turn, calls);
      settle_group(h, g);
      calls.forget();
    });
  });
}

void words_forget_all() noexcept { words.forget_all(); }

}  // namespace weft::rt
