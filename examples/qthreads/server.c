/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A server in blocking style: a task for each connection echoes what comes; while it waits its
 * worker runs others. It tells its port, serves so many connections and ends. usage: server
 * CONNECTIONS */
#include <netinet/in.h>
#include <qthread/qt_syscalls.h>
#include <qthread/qthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static aligned_t echo(void* arg) {
  const int connection = (int)(aligned_t)arg;
  char bytes[512];
  aligned_t all = 0;
  for (;;) {
    const ssize_t n = qt_read(connection, bytes, sizeof bytes);
    if (n <= 0 || qt_write(connection, bytes, (size_t)n) != n) break;
    all += (aligned_t)n;
  }
  close(connection);
  return all;
}

/* 0: all output so far has been written. */
static int written(void) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
  fputs("server: the output cannot be written\n", stderr);
  return 1;
}

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN); /* who closes without reading ends its connection, not the server */
  if (argc != 2 || qthread_initialize() != QTHREAD_SUCCESS) return 1;
  const unsigned long connections = strtoul(argv[1], NULL, 10);
  aligned_t *sent = calloc(connections, sizeof *sent), all = 0;
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof here;
  const int door = socket(AF_INET, SOCK_STREAM, 0);
  if (sent == NULL || bind(door, (struct sockaddr*)&here, size) != 0 || listen(door, 64) != 0 ||
      getsockname(door, (struct sockaddr*)&here, &size) != 0)
    return 1;
  printf("port %d\n", ntohs(here.sin_port));
  if (written() != 0) return 1;
  for (unsigned long i = 0; i < connections; ++i) {
    const int connection = qt_accept(door, NULL, NULL);
    if (connection < 0) return 1;
    qthread_fork(echo, (void*)(aligned_t)connection, &sent[i]);
  }
  for (unsigned long i = 0; i < connections; ++i) {
    qthread_readFF(NULL, &sent[i]);
    all += sent[i];
  }
  printf("%lu bytes\n", (unsigned long)all);
  close(door);
  free(sent);
  return written();
}
