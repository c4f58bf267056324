// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says what waits: a line for each parked task and each waiting OS thread.
#pragma once

namespace weft::rt {

// See weft/report.h.
int report_waiting(int fd) noexcept;

}  // namespace weft::rt
