// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A TCP server that sends back what it gets: one task for each connection, in blocking style.
//
//   echo_server [PORT]      on the loopback interface; without PORT the system chooses one
//
// Each connection is a task that reads and writes as if the calls blocked. They do not: the sockets
// are non-blocking, and where the kernel says EAGAIN the task parks until it is ready, while its
// worker runs others. Thousands of connections are thousands of tasks on a few threads, with no
// state machine and no callback.
//
// SIGINT or SIGTERM ends it: no new connections, those that are open go on until their clients
// close.
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <weft/weft.h>

// What was served. A sinc counts those still at work and adds up what they did.
typedef struct {
  uint64_t connections;
  uint64_t bytes;
} served_t;

static weft_sinc_t served;

static void add(void* into, const void* value) {
  served_t* sum = into;
  const served_t* one = value;
  sum->connections += one->connections;
  sum->bytes += one->bytes;
}

static void fail(const char* what, int error) {
  fprintf(stderr, "echo_server: %s: %s\n", what, strerror(error));
  exit(1);
}

// errno after a wait, which may end on another thread: the compiler may keep the address of the
// errno of the thread before, but not across this call.
__attribute__((noinline)) static int last_error(void) {
  __asm__ volatile("");  // so that no two calls are taken for one
  return errno;
}

// read(2) that waits: bytes read, 0 at the end, or a negative errno.
static ssize_t read_some(int fd, void* into, size_t bytes) {
  for (;;) {
    const ssize_t got = read(fd, into, bytes);
    if (got >= 0) return got;
    const int error = last_error();
    if (error == EINTR) continue;
    if (error != EAGAIN) return -error;
    const int ready = weft_fd_wait(fd, POLLIN);
    if (ready < 0) return ready;
  }
}

// write(2) that waits until all is written: 0, or a negative errno.
static int write_all(int fd, const char* from, size_t bytes) {
  while (bytes > 0) {
    const ssize_t put = send(fd, from, bytes, MSG_NOSIGNAL);
    if (put > 0) {
      from += put;
      bytes -= (size_t)put;
      continue;
    }
    const int error = last_error();
    if (error == EINTR) continue;
    if (error != EAGAIN) return -error;
    const int ready = weft_fd_wait(fd, POLLOUT);
    if (ready < 0) return ready;
  }
  return 0;
}

static void* serve(void* arg) {
  const int fd = (int)(intptr_t)arg;
  char buffer[4096];
  served_t mine = {1, 0};
  ssize_t got;
  while ((got = read_some(fd, buffer, sizeof buffer)) > 0) {
    if (write_all(fd, buffer, (size_t)got) != 0) break;
    mine.bytes += (uint64_t)got;
  }
  weft_fd_close(fd);
  weft_sinc_submit(&served, &mine);
  return NULL;
}

static void* accept_all(void* arg) {
  const int listener = (int)(intptr_t)arg;
  for (;;) {
    const int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      weft_sinc_expect(&served, 1);
      if (weft_task_spawn(serve, (void*)(intptr_t)fd, NULL) != 0) {
        close(fd);  // no memory for one more: this client is turned away
        weft_sinc_submit(&served, NULL);
      }
      continue;
    }
    int error = last_error();
    if (error == EAGAIN) {
      const int ready = weft_fd_wait(listener, POLLIN);
      if (ready >= 0) continue;
      error = -ready;
    }
    if (error == EBADF) break;  // main has closed it
    // No descriptor or no memory is left, or the network fails: that may pass.
    if (error != EINTR && error != ECONNABORTED) weft_task_sleep_for(10 * 1000 * 1000);
  }
  weft_sinc_submit(&served, NULL);
  return NULL;
}

static int listen_on(uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  if (fd < 0 || bind(fd, (struct sockaddr*)&address, length) != 0 || listen(fd, SOMAXCONN) != 0 ||
      getsockname(fd, (struct sockaddr*)&address, &length) != 0)
    fail("listen", errno);
  printf("port %d\n", ntohs(address.sin_port));
  if (fflush(stdout) != 0 || ferror(stdout)) fail("output", EIO);
  return fd;
}

int main(int argc, char** argv) {
  char* end = "";
  const unsigned long port = argc > 1 ? strtoul(argv[1], &end, 10) : 0;
  if (argc > 2 || (argc == 2 && (argv[1][0] < '0' || argv[1][0] > '9')) || *end != '\0' ||
      port > UINT16_MAX) {
    fputs("usage: echo_server [PORT]     (from 0 to 65535)\n", stderr);
    return 2;
  }
  // Before Weft starts, so that its workers block the signals as well: they come by a descriptor.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  const int signal_fd = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
  if (signal_fd < 0) fail("signalfd", errno);

  const int listener = listen_on((uint16_t)port);
  served_t sum = {0, 0};
  int status = weft_sinc_init(&served, &sum, sizeof sum, add, 1);  // 1: the task that accepts
  if (status != 0) fail("sinc", -status);
  status = weft_task_spawn(accept_all, (void*)(intptr_t)listener, NULL);
  if (status != 0) fail("spawn", -status);

  status = weft_fd_wait(signal_fd, POLLIN);
  if (status < 0) fail("wait", -status);
  weft_fd_close(listener);
  weft_sinc_wait(&served, &sum);
  printf("%ju connections, %ju bytes\n", (uintmax_t)sum.connections, (uintmax_t)sum.bytes);
  if (fflush(stdout) != 0 || ferror(stdout)) fail("output", EIO);
  weft_sinc_destroy(&served);
  close(signal_fd);
  return weft_stop() != 0;
}
