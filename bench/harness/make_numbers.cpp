// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a file of pseudo-random numbers, one in each line: make_numbers COUNT FILE.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>

// The file appears whole or not at all: it is renamed when it is complete.
int main(int argc, char** argv) {
  char* end = nullptr;
  const long long count = argc == 3 ? std::strtoll(argv[1], &end, 10) : 0;
  if (count < 1 || *end != '\0') {
    std::fprintf(stderr, "usage: bench_make_numbers COUNT FILE\n");
    return 2;
  }
  const std::string part = std::string(argv[2]) + ".part";
  std::FILE* const file = std::fopen(part.c_str(), "w");
  if (file == nullptr) {
    std::perror(part.c_str());
    return 1;
  }
  uint64_t state = 0;  // splitmix64: the same file on every machine
  for (long long i = 0; i < count; ++i) {
    uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    std::fprintf(file, "%" PRIu32 "\n", static_cast<uint32_t>(z ^ (z >> 31)));
  }
  const bool failed = std::ferror(file) != 0;
  if (std::fclose(file) != 0 || failed || std::rename(part.c_str(), argv[2]) != 0) {
    std::perror(argv[2]);
    return 1;
  }
  return 0;
}
