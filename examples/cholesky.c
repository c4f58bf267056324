// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocked Cholesky factorisation A = L * transposed(L), with dependences by full/empty bits.
//
//   cholesky BLOCKS BLOCK_SIZE
//
// The matrix has BLOCKS x BLOCKS blocks. Each block of L on and below the diagonal is computed by
// one task, in place:
//
//   L(i,j) = (A(i,j) - sum over k < j of L(i,k) * transposed(L(j,k))) / transposed(L(j,j))
//
// which needs the blocks to its left, those of row j up to the diagonal, and nothing else. Every
// block has a word beside it that is empty until the block is done. A task is spawned with the
// words of what it needs (weft_task_spawn_when) and starts once they are full; until then it is a
// descriptor and no stack. Nobody waits in a phase for a block that it does not need.
//
// The program factorises two matrices: one whose factor is known exactly, and one of random
// numbers, for which it prints how far L * transposed(L) is from A.
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

static size_t blocks;  // in a row
static size_t side;    // of a block
static double* matrix;
static uint64_t* done;  // a word for each block

static void must(int status, const char* what) {
  if (status >= 0) return;
  fprintf(stderr, "cholesky: %s: %s\n", what, strerror(-status));
  exit(1);
}

static void* allocate(size_t count, size_t bytes) {
  void* memory = calloc(count, bytes);
  if (memory == NULL) must(-ENOMEM, "matrix");
  return memory;
}

// A block's numbers lie together, row by row.
static double* block(double* of, size_t i, size_t j) { return &of[(i * blocks + j) * side * side]; }
static double* cell(double* of, size_t r, size_t c) {
  return &block(of, r / side, c / side)[r % side * side + c % side];
}

// c -= a * transposed(b)
static void subtract_product(double* c, const double* a, const double* b) {
  for (size_t r = 0; r < side; ++r)
    for (size_t s = 0; s < side; ++s) {
      double sum = 0;
      for (size_t k = 0; k < side; ++k) sum += a[r * side + k] * b[s * side + k];
      c[r * side + s] -= sum;
    }
}

// Factorises a block of the diagonal; what is above its diagonal becomes 0.
static void factorise(double* a) {
  for (size_t c = 0; c < side; ++c) {
    for (size_t k = 0; k < c; ++k)
      for (size_t r = c; r < side; ++r) a[r * side + c] -= a[r * side + k] * a[c * side + k];
    const double root = sqrt(a[c * side + c]);
    for (size_t r = 0; r < c; ++r) a[r * side + c] = 0;
    for (size_t r = c; r < side; ++r) a[r * side + c] /= root;
  }
}

// a = a / transposed(l), l being a factorised block of the diagonal
static void divide(double* a, const double* l) {
  for (size_t r = 0; r < side; ++r)
    for (size_t c = 0; c < side; ++c) {
      double value = a[r * side + c];
      for (size_t k = 0; k < c; ++k) value -= a[r * side + k] * l[c * side + k];
      a[r * side + c] = value / l[c * side + c];
    }
}

typedef struct {
  size_t i, j;
} place_t;

static void* compute(void* arg) {
  const place_t at = *(place_t*)arg;
  double* mine = block(matrix, at.i, at.j);
  for (size_t k = 0; k < at.j; ++k)
    subtract_product(mine, block(matrix, at.i, k), block(matrix, at.j, k));
  if (at.i == at.j)
    factorise(mine);
  else
    divide(mine, block(matrix, at.j, at.j));
  must(weft_word_fill(&done[at.i * blocks + at.j]), "fill");
  return NULL;
}

static void cholesky(void) {
  for (size_t i = 0; i < blocks; ++i)
    for (size_t j = 0; j <= i; ++j) must(weft_word_empty(&done[i * blocks + j]), "empty");
  const uint64_t** needs = allocate(2 * blocks, sizeof *needs);
  for (size_t i = 0; i < blocks; ++i)
    for (size_t j = 0; j <= i; ++j) {
      size_t n = 0;
      for (size_t k = 0; k < j; ++k) {
        needs[n++] = &done[i * blocks + k];
        if (i != j) needs[n++] = &done[j * blocks + k];
      }
      if (i != j) needs[n++] = &done[j * blocks + j];
      place_t at = {i, j};
      weft_spawn_t spawn = WEFT_SPAWN_INIT;
      spawn.copy_bytes = sizeof at;  // the task gets a copy of its own
      must(weft_task_spawn_when(compute, &at, &spawn, needs, n, NULL), "spawn");
    }
  free(needs);
  for (size_t i = 0; i < blocks; ++i)
    for (size_t j = 0; j <= i; ++j) must(weft_word_read_ff(&done[i * blocks + j], NULL), "read");
}

// A(r,c) = 1 + the smaller of r and c: then L has 1 on and below the diagonal.
static int known_matrix_is_exact(size_t n) {
  for (size_t r = 0; r < n; ++r)
    for (size_t c = 0; c < n; ++c) *cell(matrix, r, c) = 1.0 + (double)(r < c ? r : c);
  cholesky();
  for (size_t r = 0; r < n; ++r)
    for (size_t c = 0; c <= r; ++c)
      if (*cell(matrix, r, c) != 1.0) return 0;
  return 1;
}

// Random numbers, and n more on the diagonal so that a factor exists. The largest error, of 1.
static double error_of_random_matrix(size_t n) {
  double* original = allocate(n * n, sizeof *original);
  uint64_t state = 1;
  for (size_t r = 0; r < n; ++r)
    for (size_t c = 0; c <= r; ++c) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const double value = (double)(state >> 11) / 9007199254740992.0 + (r == c ? (double)n : 0.0);
      *cell(original, r, c) = *cell(original, c, r) = value;
    }
  memcpy(matrix, original, n * n * sizeof *matrix);
  cholesky();
  double worst = 0;
  for (size_t r = 0; r < n; ++r)
    for (size_t c = 0; c <= r; ++c) {
      double sum = 0;
      for (size_t k = 0; k <= c; ++k) sum += *cell(matrix, r, k) * *cell(matrix, c, k);
      worst = fmax(worst, fabs(sum - *cell(original, r, c)) / (double)n);
    }
  free(original);
  return worst;
}

// Whether text is a number in this range, and nothing beside it.
static bool number(const char* text, size_t least, size_t most, size_t* out) {
  char* end = NULL;
  *out = strtoul(text, &end, 10);
  return text[0] >= '0' && text[0] <= '9' && *end == '\0' && *out >= least && *out <= most;
}

int main(int argc, char** argv) {
  if (argc != 3 || !number(argv[1], 1, 1000, &blocks) || !number(argv[2], 1, 1000, &side)) {
    fputs("usage: cholesky BLOCKS BLOCK_SIZE     (each from 1 to 1000)\n", stderr);
    return 2;
  }
  const size_t n = blocks * side;
  matrix = allocate(n * n, sizeof *matrix);
  done = allocate(blocks * blocks, sizeof *done);
  const bool exact = known_matrix_is_exact(n);
  printf("known factor: %s\n", exact ? "exact" : "wrong");
  const double error = error_of_random_matrix(n);
  const bool right = error < 1e-14 * (double)n;
  printf("random matrix: %s (%.0e)\n", right ? "right" : "wrong", error);
  free(done);
  free(matrix);
  if (fflush(stdout) != 0 || ferror(stdout)) must(-EIO, "output");
  return weft_stop() != 0 || !exact || !right;
}
