// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Taking the samples of a kernel of loops: by each way that the runtime has; the best way counts.
#pragma once

#include <vector>

#include "harness/report.hpp"

namespace weft::bench {

// sample(loops) is one sample. Where the ways have been tried in turn so often as samples are wanted, or for
// long enough, those of the way with the best median are the result, and the note says the others'.
template <class Loops, class Sample>
void measure_ways(report& out, Loops& by, Sample sample) {
  constexpr auto ways = Loops::ways();
  std::vector<double> samples[ways.size()];
  const stopwatch watch;
  constexpr double enough_seconds = 2.0 * static_cast<double>(ways.size());
  for (uint32_t n = 0; n < out.opt().runs && (n == 0 || watch.seconds() < enough_seconds); ++n)
    for (size_t way = 0; way < ways.size(); ++way) {
      by.use(way);
      by.run([&] { samples[way].push_back(sample(by)); });
    }
  size_t best = 0;
  std::string all;
  for (size_t way = 0; way < ways.size(); ++way) {
    if (median(samples[way]) < median(samples[best])) best = way;
    all.append(way != 0 ? ", " : "")
        .append(ways[way])
        .append(" ")
        .append(figure(median(samples[way])));
  }
  for (const double s : samples[best]) out.add(s);
  out.note(ways.size() > 1 ? std::string(ways[best]) + " of: " + all : std::string(ways[best]));
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
