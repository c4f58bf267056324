// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lattice that is computed by tiles: a tile starts when the ones left of and below it are done.
//
// Only the edges of tiles are kept: of each tile the strip at its right and the one at its top.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <qthread/wavefront.h>
#include <vector>

#include "group.hpp"

namespace {

constexpr std::size_t tile = 64;

using bytes = std::vector<char>;

struct tile_record {
  std::atomic<int> needs{0};
  bytes right;  // heights of the tile, bottom first
  bytes top;    // widths of the tile, left first
};

}  // namespace

struct qt_wavefront_lattice_s {
  std::size_t unit = 0, width = 0, height = 0;
  std::size_t columns = 0, rows = 0;  // of tiles
  wave_comp_f func = nullptr;
  bytes left, below;  // below: the corner first
  std::unique_ptr<tile_record[]> tiles;
  weft::qt::task_group* group = nullptr;  // while it is computed
  std::atomic<bool> failed{false};        // no memory for a tile: none is computed after that

  tile_record& at(std::size_t column, std::size_t row) const noexcept {
    return tiles[row * columns + column];
  }
  void make_room(std::size_t column, std::size_t row);
  void compute(std::size_t column, std::size_t row) noexcept;
  void done(std::size_t column, std::size_t row) noexcept;
  void start(std::size_t column, std::size_t row) noexcept;
  std::size_t width_of(std::size_t column) const noexcept {
    return std::min(tile, width - column * tile);
  }
  std::size_t height_of(std::size_t row) const noexcept {
    return std::min(tile, height - row * tile);
  }
};

namespace {

struct tile_call {
  qt_wavefront_lattice* lattice;
  std::size_t column, row;
};

aligned_t run_tile(void* arg) {
  const tile_call c = *static_cast<tile_call*>(arg);
  const weft::qt::stays_on here;  // the function may wait, with a grid in our frame
  c.lattice->compute(c.column, c.row);
  c.lattice->done(c.column, c.row);
  return 0;
}

}  // namespace

// For what is kept of a tile, before any is computed.
void qt_wavefront_lattice_s::make_room(std::size_t column, std::size_t row) {
  tile_record& t = at(column, row);
  t.needs = (column > 0) + (row > 0);
  t.right.resize(height_of(row) * unit);
  t.top.resize(width_of(column) * unit);
}

// The value at (x, y) follows from (x - 1, y), (x - 1, y - 1) and (x, y - 1).
void qt_wavefront_lattice_s::compute(std::size_t column, std::size_t row) noexcept {
  const std::size_t x0 = column * tile, y0 = row * tile;
  const std::size_t w = width_of(column), h = height_of(row);
  // Edges that come from outside: to the left (bottom first), below (left first), and the corner.
  const char* const left_edge = column > 0 ? at(column - 1, row).right.data() : &left[y0 * unit];
  const char* const low_edge = row > 0 ? at(column, row - 1).top.data() : &below[(x0 + 1) * unit];
  const char* corner = &below[x0 * unit];
  if (row > 0) {
    corner = &left[(y0 - 1) * unit];
    if (column > 0) {
      const bytes& top = at(column - 1, row - 1).top;
      corner = top.data() + top.size() - unit;
    }
  }
  if (failed.load(std::memory_order_relaxed)) return;
  const std::unique_ptr<char[]> grid(new (std::nothrow) char[w * h * unit]);
  if (grid == nullptr) {
    failed.store(true, std::memory_order_relaxed);
    return;
  }
  const auto cell = [&](std::size_t x, std::size_t y) { return &grid[(x * h + y) * unit]; };
  for (std::size_t x = 0; x < w; ++x)
    for (std::size_t y = 0; y < h; ++y) {
      const char* const to_left = x > 0 ? cell(x - 1, y) : left_edge + y * unit;
      const char* const down = y > 0 ? cell(x, y - 1) : low_edge + x * unit;
      const char* diagonal = corner;
      if (x > 0)
        diagonal = y > 0 ? cell(x - 1, y - 1) : low_edge + (x - 1) * unit;
      else if (y > 0)
        diagonal = left_edge + (y - 1) * unit;
      func(to_left, diagonal, down, cell(x, y));
    }
  tile_record& mine = at(column, row);
  std::memcpy(mine.right.data(), cell(w - 1, 0), h * unit);
  for (std::size_t x = 0; x < w; ++x) std::memcpy(&mine.top[x * unit], cell(x, h - 1), unit);
}

void qt_wavefront_lattice_s::start(std::size_t column, std::size_t row) noexcept {
  const tile_call call{this, column, row};
  if (group->fork(run_tile, call)) return;
  compute(column, row);
  done(column, row);
}

void qt_wavefront_lattice_s::done(std::size_t column, std::size_t row) noexcept {
  const auto tell = [&](std::size_t c, std::size_t r) {
    if (c < columns && r < rows && at(c, r).needs.fetch_sub(1, std::memory_order_acq_rel) == 1)
      start(c, r);
  };
  tell(column + 1, row);
  tell(column, row + 1);
}

namespace {

void copy_out(bytes& to, const qarray& from) {
  to.resize(from.count * from.unit_size);
  for (std::size_t i = 0; i < from.count; ++i)
    std::memcpy(&to[i * from.unit_size], qarray_elem_nomigrate(&from, i), from.unit_size);
}

void run_lattice(qt_wavefront_lattice& l) {
  l.columns = (l.width + tile - 1) / tile;
  l.rows = (l.height + tile - 1) / tile;
  l.tiles = std::make_unique<tile_record[]>(l.columns * l.rows);
  for (std::size_t r = 0; r < l.rows; ++r)
    for (std::size_t c = 0; c < l.columns; ++c) l.make_room(c, r);
  const weft::qt::stays_on here;
  weft::qt::task_group group;
  l.group = &group;
  l.start(0, 0);
  group.wait();
  l.group = nullptr;
}

}  // namespace

qt_wavefront_lattice* qt_wavefront(qarray* const left, qarray* const below, wave_comp_f func) {
  if (left == nullptr || below == nullptr || func == nullptr || below->count < 2 ||
      left->unit_size != below->unit_size)
    return nullptr;
  try {
    auto l = std::make_unique<qt_wavefront_lattice>();
    l->unit = left->unit_size;
    l->height = left->count;
    l->width = below->count - 1;
    l->func = func;
    copy_out(l->left, *left);
    copy_out(l->below, *below);
    run_lattice(*l);
    return l->failed.load(std::memory_order_relaxed) ? nullptr : l.release();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void qt_wavefront_print_lattice(qt_wavefront_lattice const* const L) {
  if (L == nullptr || L->unit != sizeof(double)) return;
  for (std::size_t r = L->rows; r-- > 0;) {
    for (std::size_t c = 0; c < L->columns; ++c) {
      const bytes& top = L->at(c, r).top;
      for (std::size_t i = 0; i < top.size(); i += sizeof(double)) {
        double value;
        std::memcpy(&value, &top[i], sizeof value);
        std::printf("%g ", value);
      }
    }
    std::printf("\n");
  }
}

void qt_wavefront_destroy_lattice(qt_wavefront_lattice* const L) { delete L; }

namespace {

// A grid of int that the caller has: its tiles, by diagonals.
struct grid {
  int* const* columns;
  std::size_t width, height;
  wave_comp_f func;
  std::size_t diagonal;

  void run(std::size_t column) const noexcept {
    const std::size_t row = diagonal - column;
    const std::size_t x1 = std::min((column + 1) * tile, width - 1);
    const std::size_t y1 = std::min((row + 1) * tile, height - 1);
    for (std::size_t x = column * tile; x < x1; ++x)
      for (std::size_t y = row * tile; y < y1; ++y)
        func(&columns[x][y + 1], &columns[x][y], &columns[x + 1][y], &columns[x + 1][y + 1]);
  }
};

}  // namespace

void qt_basic_wavefront(int* QT_RESTRICT const* const R, size_t cols, size_t rows,
                        wave_comp_f func) {
  if (R == nullptr || func == nullptr || cols < 2 || rows < 2) return;
  const std::size_t across = (cols - 1 + tile - 1) / tile, up = (rows - 1 + tile - 1) / tile;
  grid g{const_cast<int* const*>(R), cols, rows, func, 0};
  const auto blocks = [](size_t from, size_t to, void* arg) {
    for (; from < to; ++from) static_cast<grid*>(arg)->run(from);
  };
  for (g.diagonal = 0; g.diagonal < across + up - 1; ++g.diagonal) {
    const std::size_t first = g.diagonal < up ? 0 : g.diagonal - up + 1;
    qt_loop_balance(first, std::min(across, g.diagonal + 1), blocks, &g);
  }
}
