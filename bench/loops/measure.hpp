// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Taking the samples of a kernel of loops: by the best of the ways that the runtime has.
#pragma once

#include <vector>

#include "harness/report.hpp"

namespace weft::bench {

// sample(loops) is one sample. The ways that the runtime has are tried in turn; the one with the
// best median of that then takes the samples that count, and the note says what the others' trials
// gave. The trials do not count: the best of several is better than it is, by luck, and a first
// sample is worse.
template <class Loops, class Sample>
void measure_ways(report& out, Loops& by, Sample sample) {
  constexpr auto ways = Loops::ways();
  const uint32_t trials = ways.size() > 1 ? (out.opt().runs + 1) / 2 : 1;
  std::vector<double> tried[ways.size()];
  repeat_in_time(trials, [&] {
    for (size_t way = 0; way < ways.size(); ++way) {
      by.use(way);
      by.run([&] { tried[way].push_back(sample(by)); });
    }
  });
  size_t best = 0;
  std::string all;
  for (size_t way = 0; way < ways.size(); ++way) {
    if (median(tried[way]) < median(tried[best])) best = way;
    all.append(way != 0 ? ", " : "")
        .append(ways[way])
        .append(" ")
        .append(figure(median(tried[way])));
  }
  by.use(best);
  repeat_in_time(out.opt().runs, [&] { by.run([&] { out.add(sample(by)); }); });
  out.note(ways.size() > 1 ? std::string(ways[best]) + ", the best in trials: " + all
                           : std::string(ways[best]));
}

// The main program of a kernel: make(out) gives an object whose sample(out, loops) is one sample.
template <class Loops, class Make>
int loops_main(int argc, char** argv, const char* unit, Make make) {
  report out(argc, argv, unit);
  Loops by(out);
  auto kernel = make(out);
  measure_ways(out, by, [&](Loops& l) { return kernel.sample(out, l); });
  by.stop(out);
  return out.finish();
}

}  // namespace weft::bench
