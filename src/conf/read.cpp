// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strict parsing: what is not exactly a value of its option is refused, and so is an unknown name.
#include "conf/read.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <unistd.h>

#include "base/check.hpp"
#include "conf/options.hpp"
#include "conf/values.hpp"
#include "os/cpus.hpp"

namespace weft::rt::conf {

namespace {

constexpr char prefix[] = "WEFT_";
constexpr std::size_t prefix_length = sizeof prefix - 1;

// Decimal digits up to a byte that is none; false on no digit or when it does not fit.
bool parse_digits(const char*& p, std::uint64_t& out) noexcept {
  if (*p < '0' || *p > '9') return false;
  std::uint64_t n = 0;
  for (; *p >= '0' && *p <= '9'; ++p) {
    if (__builtin_mul_overflow(n, std::uint64_t{10}, &n)) return false;
    if (__builtin_add_overflow(n, static_cast<std::uint64_t>(*p - '0'), &n)) return false;
  }
  out = n;
  return true;
}

std::uint64_t unit_of(char suffix) noexcept {
  switch (suffix) {
    case 'k':
    case 'K':
      return kib;
    case 'm':
    case 'M':
      return mib;
    case 'g':
    case 'G':
      return gib;
    default:
      return 0;
  }
}

bool parse_number(const char* text, bool with_unit, std::uint64_t& out) noexcept {
  if (!parse_digits(text, out)) return false;
  if (*text == '\0') return true;
  const std::uint64_t unit = with_unit ? unit_of(*text) : 0;
  return unit != 0 && text[1] == '\0' && !__builtin_mul_overflow(out, unit, &out);
}

bool parse(const option& which, const char* text, std::uint64_t& out) noexcept {
  if (which.type == option_type::choice) {
    for (out = which.least; out <= which.most; ++out) {
      if (std::strcmp(text, which.words[out - which.least]) == 0) return true;
    }
    return false;
  }
  if (which.type == option_type::text) {
    const bool standard = std::strcmp(text, which.words[0]) == 0;
    out = standard ? 0 : reinterpret_cast<std::uintptr_t>(text);
    return true;
  }
  return parse_number(text, which.type == option_type::bytes, out) && out >= which.least &&
         out <= which.most;
}

// The number of insertions, deletions and changes that make a of length n into b; more than `far`
// when a is too long to be a slip.
constexpr std::size_t far = 4;

std::size_t distance(const char* a, std::size_t n, const char* b) noexcept {
  constexpr std::size_t longest = 31;
  const std::size_t m = std::strlen(b);
  if (n > longest || m > longest) return longest;
  std::size_t row[longest + 1];
  for (std::size_t j = 0; j <= m; ++j) row[j] = j;
  for (std::size_t i = 1; i <= n; ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= m; ++j) {
      std::size_t least = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      if (row[j] + 1 < least) least = row[j] + 1;
      if (row[j - 1] + 1 < least) least = row[j - 1] + 1;
      diagonal = row[j];
      row[j] = least;
    }
  }
  return row[m];
}

void refuse(error& err, const option& which) noexcept {
  err.line.add(": not accepted; give ");
  add_accepted(err.line, which);
  err.line.add("\n");
}

// variable: "NAME=value", whose name (name_length bytes) no option has.
result refuse_name(const char* variable, std::size_t name_length, error& err) noexcept {
  const option* nearest = &options[0];
  std::size_t best = SIZE_MAX;
  for (const option& row : options) {
    const std::size_t d = distance(variable, name_length, row.name);
    if (d < best) {
      best = d;
      nearest = &row;
    }
  }
  err.line.clear();
  err.line.add("weft: ").printable(variable, most_shown).add(": not accepted; ");
  if (best <= far) {
    err.line.add("there is no such option, did you mean ").add(nearest->name).add("?\n");
    return result::refused;
  }
  err.line.add("the options are ");
  for (const option& row : options) {
    if (&row != &options[0]) err.line.add(", ");
    err.line.add(row.name);
  }
  err.line.add("\n");
  return result::refused;
}

const option* find(const char* name, std::size_t length) noexcept {
  for (const option& row : options) {
    if (std::strlen(row.name) == length && std::memcmp(row.name, name, length) == 0) return &row;
  }
  return nullptr;
}

void set_defaults(values& to, const os::cpu_count& cpus) noexcept {
  to.cpus = cpus;
  for (const option& row : options) row.set(to, row.standard, source::built_in);
  const option& workers = options[static_cast<std::size_t>(option_id::workers)];
  workers.set(to, cpus.count < workers.most ? cpus.count : workers.most, source::built_in);
}

}  // namespace

result read_from(const char* const* environment, const os::cpu_count& cpus, values& out,
                 error& err) noexcept {
  values next{};
  set_defaults(next, cpus);
  bool seen[option_count] = {};
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const char* const variable = *environment;
    if (std::strncmp(variable, prefix, prefix_length) != 0) continue;
    const char* const equals = std::strchr(variable, '=');
    if (equals == nullptr || equals[1] == '\0') continue;
    const auto name_length = static_cast<std::size_t>(equals - variable);
    const option* const row = find(variable, name_length);
    if (row == nullptr) return refuse_name(variable, name_length, err);
    bool& again = seen[static_cast<std::size_t>(row->id)];
    if (again) continue;  // as getenv: the first of two counts
    again = true;
    std::uint64_t value = 0;
    if (!parse(*row, equals + 1, value)) {
      err.line.clear();
      err.line.add("weft: ").printable(variable, most_shown);
      refuse(err, *row);
      return result::refused;
    }
    row->set(next, value, source::environment);
  }
  out = next;
  return result::ok;
}

result read(values& out, error& err) noexcept {
  return read_from(environ, os::usable_cpus(), out, err);
}

void refuse_later(const values& chosen, option_id which, const char* because, error& err) noexcept {
  const option& row = options[static_cast<std::size_t>(which)];
  source from{};
  err.line.clear();
  err.line.add("weft: ").add(row.name).add("=");
  add_value(err.line, row, row.get(chosen, from));
  err.line.add(": not accepted; ").add(because).add("\n");
}

result set_by_caller(values& out, option_id which, std::uint64_t value, error& err) noexcept {
  const option& row = options[static_cast<std::size_t>(which)];
  WEFT_ASSERT(row.caller_field != nullptr);
  if (value < row.least || value > row.most) {
    err.line.clear();
    err.line.add("weft: weft_config_t.").add(row.caller_field).add("=").decimal(value);
    refuse(err, row);
    return result::refused;
  }
  row.set(out, value, source::caller);
  return result::ok;
}

}  // namespace weft::rt::conf
