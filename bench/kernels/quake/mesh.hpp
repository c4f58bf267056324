// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A symmetric matrix of 3 x 3 blocks as earthquake codes have it: a block row for each node of an
// irregular mesh in three dimensions, a block for each edge. Made from numbers, so that it is the
// same everywhere.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "harness/placed_array.hpp"

namespace weft::bench {

using vec3 = std::array<double, 3>;
using field = placed_array<vec3>;  // three values for each node

class lcg {
 public:
  explicit lcg(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return state_ >> 33;
  }
  double unit() { return static_cast<double>(next()) / static_cast<double>(uint64_t{1} << 31); }

 private:
  uint64_t state_;
};

// Rows compressed; the diagonal block is among those of its row.
struct block_matrix {
  placed_array<int64_t> begin;  // of each row, and the end
  placed_array<int32_t> column;
  placed_array<std::array<double, 9>> value;

  int64_t rows() const { return static_cast<int64_t>(begin.size()) - 1; }

  // A row times x.
  vec3 times(int64_t row, const field& x) const {
    double a = 0;
    double b = 0;
    double c = 0;
    const auto last = static_cast<size_t>(begin[static_cast<size_t>(row) + 1]);
    for (auto k = static_cast<size_t>(begin[static_cast<size_t>(row)]); k < last; ++k) {
      const auto& v = value[k];
      const vec3& at = x[static_cast<size_t>(column[k])];
      a += v[0] * at[0] + v[1] * at[1] + v[2] * at[2];
      b += v[3] * at[0] + v[4] * at[1] + v[5] * at[2];
      c += v[6] * at[0] + v[7] * at[1] + v[8] * at[2];
    }
    return {a, b, c};
  }
};

// side^3 nodes. Each is tied to nodes before it in its surroundings: to the next in each direction,
// and to up to seven of the diagonal ones, more where the mesh is fine (a basin in one corner).
// Numbers are mixed among nodes that are near each other, as mesh generators leave them.
inline block_matrix make_mesh(int64_t side) {
  const auto n = static_cast<size_t>(side * side * side);
  lcg random(12345);
  std::vector<int32_t> number(n);
  for (size_t i = 0; i < n; ++i) number[i] = static_cast<int32_t>(i);
  for (size_t i = 0; i + 1 < n; ++i)
    std::swap(number[i], number[std::min(n - 1, i + random.next() % 64)]);

  std::vector<std::vector<std::pair<int32_t, std::array<double, 9>>>> rows(n);
  const auto node = [&](int64_t x, int64_t y, int64_t z) {
    return static_cast<size_t>(number[static_cast<size_t>((z * side + y) * side + x)]);
  };
  for (int64_t z = 0; z < side; ++z)
    for (int64_t y = 0; y < side; ++y)
      for (int64_t x = 0; x < side; ++x) {
        const bool fine = 2 * x < side && 2 * y < side && 2 * z < side;
        for (int direction = 1; direction < 27; ++direction) {
          const int64_t dx = direction % 3 - 1;
          const int64_t dy = direction / 3 % 3 - 1;
          const int64_t dz = direction / 9 - 1;
          const int64_t ahead = dx + 3 * dy + 9 * dz;
          const bool inside = x + dx >= 0 && x + dx < side && y + dy >= 0 && y + dy < side &&
                              z + dz >= 0 && z + dz < side;
          if (ahead <= 0 || !inside) continue;
          const bool axis = dx * dx + dy * dy + dz * dz == 1;
          if (!axis && random.next() % 4 >= (fine ? 4u : 2u)) continue;
          const size_t a = node(x, y, z);
          const size_t b = node(x + dx, y + dy, z + dz);
          std::array<double, 9> v;
          for (double& e : v) e = random.unit() - 0.5;
          std::array<double, 9> turned;
          for (size_t i = 0; i < 9; ++i) turned[i] = v[i % 3 * 3 + i / 3];
          rows[a].push_back({static_cast<int32_t>(b), v});
          rows[b].push_back({static_cast<int32_t>(a), turned});
        }
      }

  std::vector<int64_t> begin{0};
  std::vector<int32_t> column;
  std::vector<std::array<double, 9>> value;
  for (size_t r = 0; r < n; ++r) {
    // Larger than the rest of its row, so that the matrix is positive definite.
    std::array<double, 9> diagonal{};
    for (size_t i = 0; i < 3; ++i) {
      double sum = 1;
      for (const auto& e : rows[r])
        for (size_t k = 0; k < 3; ++k) sum += std::abs(e.second[3 * i + k]);
      diagonal[4 * i] = sum;
    }
    rows[r].push_back({static_cast<int32_t>(r), diagonal});
    std::sort(rows[r].begin(), rows[r].end());
    for (const auto& e : rows[r]) {
      column.push_back(e.first);
      value.push_back(e.second);
    }
    begin.push_back(static_cast<int64_t>(column.size()));
  }
  return {.begin{begin, 0}, .column{column, 1}, .value{value, 2}};
}

}  // namespace weft::bench
