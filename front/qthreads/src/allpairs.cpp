// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function of every pair: tiles of the two arrays, taken by workers as they come.
#include <algorithm>
#include <qthread/allpairs.h>

namespace {

constexpr std::size_t tile = 64;

// One tile of pairs is one iteration.
struct pairs {
  const qarray* first;
  const qarray* second;
  dist_f only;
  dist_out_f with_output;
  void* const* output;
  std::size_t out_bytes;

  static std::size_t tiles_of(const qarray& a) noexcept { return (a.count + tile - 1) / tile; }

  void run(std::size_t number) const noexcept {
    const std::size_t columns = tiles_of(*second);
    const std::size_t i0 = number / columns * tile, j0 = number % columns * tile;
    const std::size_t rows = std::min(tile, first->count - i0);
    const std::size_t width = std::min(tile, second->count - j0);
    // Where an element lies takes divisions, so it is asked once for each and not for each pair.
    const void* b[tile];
    for (std::size_t j = 0; j < width; ++j) b[j] = qarray_elem_nomigrate(second, j0 + j);
    for (std::size_t i = i0; i < i0 + rows; ++i) {
      const void* const a = qarray_elem_nomigrate(first, i);
      if (only != nullptr) {
        for (std::size_t j = 0; j < width; ++j) only(a, b[j]);
        continue;
      }
      auto* out = output != nullptr ? static_cast<char*>(output[i]) + j0 * out_bytes : nullptr;
      for (std::size_t j = 0; j < width; ++j) {
        with_output(a, b[j], out);
        if (out != nullptr) out += out_bytes;
      }
    }
  }
};

void run_all(pairs what) noexcept {
  if (what.first == nullptr || what.second == nullptr) return;
  const auto blocks = [](size_t from, size_t to, void* arg) {
    for (; from < to; ++from) static_cast<pairs*>(arg)->run(from);
  };
  const std::size_t tiles = pairs::tiles_of(*what.first) * pairs::tiles_of(*what.second);
  qqloop_handle_t* loop = qt_loop_queue_create(CHUNK, 0, tiles, 1, blocks, &what);
  if (loop != nullptr)
    qt_loop_queue_run(loop);
  else
    blocks(0, tiles, &what);
}

}  // namespace

void qt_allpairs(qarray const* array1, qarray const* array2, dist_f distfunc) {
  if (distfunc != nullptr) run_all({array1, array2, distfunc, nullptr, nullptr, 0});
}

void qt_allpairs_output(qarray const* array1, qarray const* array2, dist_out_f distfunc,
                        void* QT_RESTRICT* QT_RESTRICT output, size_t outsize) {
  if (distfunc != nullptr)
    run_all({array1, array2, nullptr, distfunc, const_cast<void* const*>(output), outsize});
}
