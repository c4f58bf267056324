// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A C11 program on an installed Weft: a task for each number, a channel for the squares.
#include <stdint.h>
#include <stdio.h>

#include <weft/weft.h>

static weft_channel_t squares;

static void* square(void* arg) {
  const intptr_t n = (intptr_t)arg;
  const intptr_t value = n * n;
  return weft_channel_send(squares, &value) == 0 ? arg : NULL;
}

int main(void) {
  if (weft_channel_create(sizeof(intptr_t), 0, &squares) != 0) return 1;
  for (intptr_t n = 1; n <= 10; ++n)
    if (weft_task_spawn(square, (void*)n, NULL) != 0) return 1;
  intptr_t sum = 0;
  for (int i = 0; i < 10; ++i) {
    intptr_t value;
    if (weft_channel_receive(squares, &value) != 0) return 1;
    sum += value;
  }
  printf("%d\n", (int)sum);
  return weft_stop() != 0;
}
