// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Weft has for the constructs of OpenMP: teams, their loops and barriers, a mutex, tasks.
#include "harness/weft.hpp"

#include <utility>
#include <vector>

#include "config.hpp"

using namespace weft::bench;

namespace {

// Runs Member(me, w) by each of a team.
template <void (*Member)(weft_team_member_t*, work&)>
void team(work& w) {
  must(weft_team_run(
           w.workers(),
           [](weft_team_member_t* me, void* arg) { Member(me, *static_cast<work*>(arg)); }, &w),
       "weft_team_run");
}

void wait(weft_team_member_t* me) { must(weft_team_wait(me), "weft_team_wait"); }

void add(weft_team_member_t* me, work& w) { w.add(weft_team_rank(me)); }

void parallel(work& w) {
  for (int64_t i = 0; i < w.constructs(); ++i) team<add>(w);
}

struct member {
  weft_team_member_t* me;
  work* all;
};

void loop(weft_team_member_t* me, work& w) {
  member mine{me, &w};
  for (int64_t i = 0; i < w.constructs(); ++i) {
    must(weft_team_loop(
             me, 0, w.workers(), 1,
             [](int64_t begin, int64_t end, void* arg) {
               const member& m = *static_cast<const member*>(arg);
               m.all->add_all(weft_team_rank(m.me), end - begin);
             },
             &mine, nullptr),
         "weft_team_loop");
    wait(me);
  }
}

void barrier(weft_team_member_t* me, work& w) {
  for (int64_t i = 0; i < w.constructs(); ++i) {
    add(me, w);
    wait(me);
  }
}

void single(weft_team_member_t* me, work& w) {
  for (int64_t i = 0; i < w.constructs(); ++i) {
    const int first = weft_team_claim(me);
    must(first, "weft_team_claim");
    if (first == 1) add(me, w);
    wait(me);
  }
}

weft_mutex_t mutex = WEFT_MUTEX_INIT;

void critical(weft_team_member_t* /*me*/, work& w) {
  for (int64_t i = 0; i < w.share(); ++i) {
    must(weft_mutex_lock(&mutex), "weft_mutex_lock");
    w.add(0);
    must(weft_mutex_unlock(&mutex), "weft_mutex_unlock");
  }
}

// What each member adds to the sum, a line each.
struct parts {
  work* all;
  std::vector<tally> of;
};

void reduction(work& w) {
  parts mine{&w, std::vector<tally>(w.workers())};
  for (int64_t i = 0; i < w.constructs(); ++i) {
    must(weft_team_run(
             w.workers(),
             [](weft_team_member_t* me, void* arg) {
               parts& p = *static_cast<parts*>(arg);
               add(me, *p.all);
               p.of[weft_team_rank(me)].done = 1;
             },
             &mine),
         "weft_team_run");
    int64_t sum = 0;
    for (tally& part : mine.of) sum += std::exchange(part.done, 0);
    w.add_sum(sum);
  }
}

// The tasks of a member count for it; no two of them run at once where they are waited for at once,
// and elsewhere they have a place each.
void* add_one(void* arg) {
  *static_cast<int64_t*>(arg) = 1;
  return nullptr;
}

void task(weft_team_member_t* me, work& w) {
  const size_t count = static_cast<size_t>(w.constructs());
  std::vector<int64_t> done(count, 0);
  std::vector<weft_task_t> tasks(count);
  for (size_t i = 0; i < count; ++i)
    must(weft_task_spawn(add_one, &done[i], &tasks[i]), "weft_task_spawn");
  must(weft_task_join_many(tasks.data(), count, nullptr), "weft_task_join_many");
  for (const int64_t one : done) w.add_all(weft_team_rank(me), one);
}

void taskwait(weft_team_member_t* me, work& w) {
  for (int64_t i = 0; i < w.constructs(); ++i) {
    int64_t done = 0;
    weft_task_t made = nullptr;
    must(weft_task_spawn(add_one, &done, &made), "weft_task_spawn");
    must(weft_task_join(made, nullptr), "weft_task_join");
    w.add_all(weft_team_rank(me), done);
  }
}

struct outer {
  work* all;
  uint32_t rank;
};

void inner_team(weft_team_member_t* me, work& w) {
  outer mine{&w, weft_team_rank(me)};
  must(weft_team_run(
           w.workers(),
           [](weft_team_member_t* inner, void* arg) {
             const outer& o = *static_cast<const outer*>(arg);
             o.all->add(o.rank, weft_team_rank(inner));
           },
           &mine),
       "weft_team_run");
}

void nested(work& w) {
  for (int64_t i = 0; i < w.constructs(); ++i) team<inner_team>(w);
}

constexpr construct all[] = {
    {"parallel", parallel},   {"for", team<loop>},          {"barrier", team<barrier>},
    {"single", team<single>}, {"critical", team<critical>}, {"reduction", reduction},
    {"task", team<task>},     {"taskwait", team<taskwait>}, {"nested", nested}};

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  work w(out);
  const auto run = chosen(all);
  measure_both(out, [&] { return w.sample(out, run); });
  return out.finish();
}
