// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each construct of OpenMP costs, and what Weft has in its place.
//
// The constructs are those of Bull, Reid and McDonnell, "A Microbenchmark Suite for OpenMP Tasks",
// IWOMP 2012, and of the EPCC suite before it. There a delay in each construct is measured and
// subtracted; here the construct holds a single addition, so that no sample can come out negative
// and the answer can be checked.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "harness/report.hpp"

namespace weft::bench {

inline constexpr int64_t constructs_full = 10'000;
inline constexpr int64_t constructs_quick = 1'000;
inline constexpr int64_t nested_full = 400;
inline constexpr int64_t nested_quick = 40;
inline constexpr double longest_sample_ns = 5e8;

// What one member has done; a line each.
struct alignas(64) tally {
  int64_t done = 0;
};

// What all members of a region do, and what shall come of it.
class work {
 public:
  explicit work(const report& out)
      : workers_(out.opt().workers),
        constructs_(is("nested") ? (out.opt().quick ? nested_quick : nested_full)
                                 : (out.opt().quick ? constructs_quick : constructs_full)),
        tallies_(workers_ * workers_) {}

  static constexpr bool is(std::string_view construct) {
    return kernel_name.substr(std::string_view("epcc_").size()) == construct;
  }

  uint32_t workers() const { return workers_; }
  int64_t constructs() const { return constructs_; }
  // Critical sections that each member enters, so that all together are as many as constructs or
  // hardly fewer.
  int64_t share() const { return constructs_ / workers_; }

  // Counts once for a member; inner tells those of a region in the region apart.
  void add(uint32_t member, uint32_t inner = 0) { ++tallies_[member * workers_ + inner].done; }
  void add_all(uint32_t member, int64_t count) { tallies_[member * workers_].done += count; }
  // What all members of a reduction have come to; only who asked for it calls this.
  void add_sum(int64_t sum) { sum_ += sum; }

  // Makes the samples shorter where workers that spin share processors, and each construct takes
  // them many ms.
  template <class Run>
  void fit(report& out, Run run) {
    const int64_t wanted = constructs_;
    constructs_ = std::max<int64_t>(workers_, wanted / 100);
    const double ns = sample(out, run);
    const auto fitting = static_cast<int64_t>(longest_sample_ns / ns);
    constructs_ = std::clamp<int64_t>(fitting, constructs_, std::max(wanted, constructs_));
  }

  // One sample: ns a construct.
  template <class Run>
  double sample(report& out, Run run) {
    for (tally& t : tallies_) t.done = 0;
    sum_ = 0;
    const stopwatch watch;
    run(*this);
    const double ns = watch.ns();
    int64_t done = 0;
    for (const tally& t : tallies_) done += t.done;
    out.check("done", done, expected());
    if (alike()) out.check("members that left a part out", idle(), int64_t{0});
    if (is("reduction")) out.check("sum", sum_, expected());
    return ns / static_cast<double>(is("critical") ? share() * workers_ : constructs_);
  }

 private:
  // Whether each member does as much as any other.
  static constexpr bool alike() {
    return is("parallel") || is("barrier") || is("reduction") || is("nested");
  }

  // Those that did not do their part of each construct.
  int64_t idle() const {
    const size_t every = is("nested") ? 1 : workers_;
    int64_t found = 0;
    for (size_t i = 0; i < tallies_.size(); i += every)
      found += tallies_[i].done < constructs_ ? 1 : 0;
    return found;
  }

  int64_t expected() const {
    if (is("single")) return constructs_;
    if (is("critical")) return share() * workers_;
    return constructs_ * workers_ * (is("nested") ? workers_ : 1);
  }

  uint32_t workers_;
  int64_t constructs_;
  std::vector<tally> tallies_;
  int64_t sum_ = 0;
};

// One of the constructs, by the end of its kernel's name.
struct construct {
  std::string_view name;
  void (*run)(work&);
};

template <size_t Count>
void (*chosen(const construct (&all)[Count]))(work&) {
  for (const construct& c : all)
    if (work::is(c.name)) return c.run;
  die("this construct is not written");
}

}  // namespace weft::bench
