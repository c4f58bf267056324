/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* System calls during which the worker runs other tasks. Results and errno as without qt_; as on
 * Linux qt_select leaves in *timeout, which must be writable, what is left of it. */
#ifndef QT_SYSCALLS_H
#define QT_SYSCALLS_H

#include <poll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "macros.h"

Q_STARTCXX

int qt_accept(int socket, struct sockaddr *QT_RESTRICT address, socklen_t *QT_RESTRICT address_len);
int qt_connect(int socket, const struct sockaddr *address, socklen_t address_len);
int qt_poll(struct pollfd fds[], nfds_t nfds, int timeout);
ssize_t qt_pread(int filedes, void *buf, size_t nbyte, off_t offset);
ssize_t qt_pwrite(int filedes, void const *buf, size_t nbyte, off_t offset);
ssize_t qt_read(int filedes, void *buf, size_t nbyte);
int qt_select(int nfds, fd_set *QT_RESTRICT readfds, fd_set *QT_RESTRICT writefds,
              fd_set *QT_RESTRICT errorfds, struct timeval *QT_RESTRICT timeout);
int qt_system(char const *command);
pid_t qt_wait4(pid_t pid, int *stat_loc, int options, struct rusage *rusage);
ssize_t qt_write(int filedes, void const *buf, size_t nbyte);

Q_ENDCXX

#endif /* QT_SYSCALLS_H */
