// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names a code address as well as the program's dynamic symbols allow.
#include "os/symbol.hpp"

#include <cstring>
#include <dlfcn.h>

namespace weft::rt::os {

void add_symbol(text& out, const void* code) noexcept {
  out.pointer(code);
  Dl_info info{};
  if (dladdr(code, &info) == 0 || info.dli_fname == nullptr) return;
  const char* slash = std::strrchr(info.dli_fname, '/');
  const char* file = slash != nullptr ? slash + 1 : info.dli_fname;
  const auto* at = static_cast<const char*>(code);
  out.add(" (");
  if (info.dli_sname != nullptr) {
    out.printable(info.dli_sname, 200).add("+");
    out.hex(static_cast<std::uint64_t>(at - static_cast<const char*>(info.dli_saddr)));
    out.add(" in ").printable(file, 100);
  } else {
    out.printable(file, 100).add("+");
    out.hex(static_cast<std::uint64_t>(at - static_cast<const char*>(info.dli_fbase)));
  }
  out.add(")");
}

}  // namespace weft::rt::os
