// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads by dlopen.
#include "os/library.hpp"

#include <dlfcn.h>

namespace weft::rt::os {

library::library(const char* name) noexcept : handle_(::dlopen(name, RTLD_NOW | RTLD_LOCAL)) {}

void* library::address(const char* name) const noexcept { return ::dlsym(handle_, name); }

}  // namespace weft::rt::os
