// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The frame of every benchmark: its arguments, its samples, and the one line of JSON it prints.
//
// A kernel makes one report, adds samples and checks, and returns finish() from main. The names of
// the kernel and of the runtime are given by the build (BENCH_KERNEL, BENCH_RUNTIME), so that one
// source serves several kernels (spawn_join_1k, spawn_join_100k) and several ways of linking.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace weft::bench {

inline constexpr std::string_view kernel_name = BENCH_KERNEL;

struct options {
  uint32_t workers = 1;
  uint32_t runs = 1;   // samples to take at most
  bool quick = false;  // smaller sizes
  std::string data;    // the file to read, for the kernels that read one
};

// Ends the program for a reason that is not a wrong answer.
[[noreturn]] inline void die(const std::string& why) {
  std::fprintf(stderr, "bench_%s_%s: %s\n", BENCH_KERNEL, BENCH_RUNTIME, why.c_str());
  std::exit(2);
}

inline uint32_t parse_count(const std::string& name, const char* text) {
  char* end = nullptr;
  const unsigned long value = std::strtoul(text, &end, 10);
  if (end == text || *end != '\0' || value < 1 || value > 1024) {
    die(name + " takes a number from 1 to 1024, not '" + text + "'");
  }
  return static_cast<uint32_t>(value);
}

inline options parse(int argc, char** argv) {
  options parsed;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) die(name + " needs a value");
    const std::string value = argv[i + 1];
    if (name == "--workers") {
      parsed.workers = parse_count(name, argv[i + 1]);
    } else if (name == "--runs") {
      parsed.runs = parse_count(name, argv[i + 1]);
    } else if (name == "--scale" && (value == "quick" || value == "full")) {
      parsed.quick = value == "quick";
    } else if (name == "--data") {
      parsed.data = value;
    } else {
      die("unknown argument " + name + " " + value +
          "; known: --workers N --runs N --scale quick|full --data FILE");
    }
  }
  return parsed;
}

class stopwatch {
 public:
  double ns() const { return std::chrono::duration<double, std::nano>(now() - start_).count(); }
  double seconds() const { return ns() * 1e-9; }

 private:
  static std::chrono::steady_clock::time_point now() { return std::chrono::steady_clock::now(); }
  std::chrono::steady_clock::time_point start_ = now();
};

inline constexpr double enough_seconds = 2.0;  // slow runtimes take fewer samples a process

// f() so many times, or once and then until there were enough seconds of it.
template <class F>
void repeat_in_time(uint32_t most, F f) {
  const stopwatch watch;
  for (uint32_t n = 0; n < most && (n == 0 || watch.seconds() < enough_seconds); ++n) f();
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// A figure for a note: four digits are enough to read and too few to believe in.
inline std::string figure(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

class report {
 public:
  report(int argc, char** argv, const char* unit)
      : options_(parse(argc, argv)), kernel_(called(argv[0])), unit_(unit) {}

  const options& opt() const { return options_; }
  // For a kernel with another unit than the others of its program.
  void measure_in(const char* unit) { unit_ = unit; }

  // The kernel: as the program is called, which may have several names.
  const std::string& kernel() const { return kernel_; }
  // The number behind this beginning of its name, 0 if it has another one.
  int64_t number_in_name(std::string_view beginning) const {
    if (!std::string_view(kernel_).starts_with(beginning)) return 0;
    return std::strtoll(kernel_.c_str() + beginning.size(), nullptr, 10);
  }

  // Whether to take one more sample: the first always, further ones while there is time.
  bool more() const {
    return samples_.empty() || (samples_.size() < options_.runs && age_.seconds() < enough_seconds);
  }
  void add(double sample) { samples_.push_back(sample); }

  // Compares an answer with the known one; the first difference is what the note shows.
  template <class Value>
  void check(const char* what, Value got, Value expected) {
    if (got == expected) return;
    if (ok_) {
      note(std::string(what) + " is " + std::to_string(got) + ", not " + std::to_string(expected));
    }
    ok_ = false;
  }

  void note(const std::string& text) {
    if (!note_.empty()) note_ += "; ";
    note_ += text;
  }

  // Prints the line; what main returns.
  int finish() const {
    std::string list;
    for (const double sample : samples_) {
      char text[40];
      std::snprintf(text, sizeof text, "%s%.9g", list.empty() ? "" : ", ", sample);
      list += text;
    }
    std::printf(
        "{\"kernel\": \"%s\", \"runtime\": \"%s\", \"workers\": %u, \"unit\": \"%s\", "
        "\"samples\": [%s], \"ok\": %s, \"note\": \"%s\"}\n",
        kernel_.c_str(), BENCH_RUNTIME, options_.workers, unit_, list.c_str(),
        ok_ ? "true" : "false", note_.c_str());
    return ok_ && !samples_.empty() ? 0 : 1;
  }

 private:
  // Of bench_<kernel>_<runtime>; called otherwise, the program is what it was built as.
  static std::string called(std::string_view program) {
    constexpr std::string_view before = "bench_";
    constexpr std::string_view after = "_" BENCH_RUNTIME;
    program.remove_prefix(program.find_last_of('/') + 1);
    if (!program.starts_with(before) || !program.ends_with(after)) return BENCH_KERNEL;
    return std::string(
        program.substr(before.size(), program.size() - before.size() - after.size()));
  }

  stopwatch age_;
  options options_;
  std::string kernel_;
  const char* unit_;
  std::vector<double> samples_;
  std::string note_;  // plain words: nothing in it needs escaping in JSON
  bool ok_ = true;
};

}  // namespace weft::bench
