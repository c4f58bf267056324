// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tests of weft.hpp share what the tests of the C headers do.
#pragma once

#include "../api/support.hpp"
