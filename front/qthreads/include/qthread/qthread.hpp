/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What qthread.h includes in C++. */
#ifndef QTHREAD_HPP
#define QTHREAD_HPP

#include "qthread.h"
#include "syncvar.hpp"

#endif /* QTHREAD_HPP */
