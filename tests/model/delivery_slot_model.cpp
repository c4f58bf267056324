// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything that is sent, into the slot or beside it into the inbox, arrives once, in the order of
// its sender.
#include "lockfree/delivery_slot.hpp"
#include "lockfree/inbox.hpp"
#include "model.hpp"

namespace {

struct content {
  rl::var<unsigned> from;
  rl::var<int> rank;
};

struct alignas(8) letter {
  rl::var<letter*> next;
  content what;
};

struct watched_link {
  static letter* get(letter* it) { return it->next(RL_INFO); }
  static void set(letter* it, letter* next) { it->next(RL_INFO) = next; }
};

// As sched/delivery.cpp and watch_for_more and look() do. Letters of the last sender come as their
// addresses, the others' by value.
struct senders_and_owner : rl::test_suite<senders_and_owner, 4> {
  static constexpr unsigned senders = 3;
  static constexpr int letters = 2;  // of each
  static constexpr int watches = 3;

  weft::rt::delivery_slot<content, letter> slot;
  weft::rt::delivery_turn turn;
  weft::rt::inbox<letter, watched_link> mail;
  letter by_mail[senders][letters];
  int arrived[senders] = {};

  static void write(content& c, unsigned from, int rank) {
    c.from(RL_INFO) = from;
    c.rank(RL_INFO) = rank;
  }

  bool deliver(unsigned from, int rank) {
    if (from + 1 == senders) {
      write(by_mail[from][rank].what, from, rank);
      return mail.empty() && slot.deliver(&by_mail[from][rank]);
    }
    return slot.deliver(turn, [&](content& c) {
      write(c, from, rank);
      return mail.empty();
    });
  }

  void send(unsigned from, int rank) {
    if (deliver(from, rank)) return;
    letter& l = by_mail[from][rank];
    write(l.what, from, rank);
    mail.push(&l);
  }

  void arrives(content& c) {
    const unsigned from = c.from(RL_INFO);
    RL_ASSERT(c.rank(RL_INFO) == arrived[from]);
    ++arrived[from];
  }

  void take_mail() {
    for (letter* l = mail.take_all(); l != nullptr; l = watched_link::get(l)) arrives(l->what);
  }

  void thread(unsigned who) {
    if (who < senders) {
      for (int i = 0; i < letters; ++i) send(who, i);
      return;
    }
    for (int i = 0; i < watches; ++i) {
      slot.open();
      if (!slot.is_full()) weft::model::pause(0);
      if (slot.close()) {
        letter* const l = slot.elsewhere();
        arrives(l != nullptr ? l->what : slot.item());
      }
      take_mail();
    }
  }

  void after() {
    take_mail();
    for (const int count : arrived) RL_ASSERT(count == letters);
  }
};

}  // namespace

int main() { return weft::model::holds<senders_and_owner>(300'000) ? 0 : 1; }
