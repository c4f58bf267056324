// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes machines as hwloc reads them from a file (HWLOC_XMLFILE): for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::rt::topo {

class hwloc_xml {
 public:
  // What one thing in the machine holds, its memory and all things in it. mask: its processors.
  std::string machine(uint64_t mask, uint64_t nodes, const std::string& inside) {
    const std::string allowed =
        " allowed_cpuset=\"" + hex(mask) + "\" allowed_nodeset=\"" + hex(nodes) + "\"";
    return object("Machine", 0, mask, nodes, allowed, inside);
  }
  std::string package(unsigned number, uint64_t mask, uint64_t nodes, const std::string& inside) {
    return object("Package", number, mask, nodes, "", inside);
  }
  std::string memory(unsigned node, uint64_t mask) {
    return object("NUMANode", node, mask, uint64_t{1} << node, " local_memory=\"1073741824\"", "");
  }
  std::string cache(unsigned level, uint64_t mask, uint64_t nodes, const std::string& inside) {
    const std::string depth = std::to_string(level);
    return object("L" + depth + "Cache", none, mask, nodes,
                  " cache_size=\"1048576\" depth=\"" + depth +
                      "\" cache_linesize=\"64\" cache_associativity=\"8\" cache_type=\"0\"",
                  inside);
  }
  std::string core(unsigned number, const std::vector<unsigned>& processors, uint64_t nodes) {
    uint64_t mask = 0;
    std::string inside;
    for (const unsigned p : processors) {
      mask |= uint64_t{1} << p;
      inside += object("PU", p, uint64_t{1} << p, nodes, "", "");
    }
    return object("Core", number, mask, nodes, "", inside);
  }
  // Of all memories to all.
  static std::string latencies(const std::vector<std::vector<unsigned>>& rows) {
    std::string nodes;
    std::string values;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      nodes += std::to_string(i) + " ";
      for (const unsigned value : rows[i]) values += std::to_string(value) + " ";
    }
    return "<distances2 type=\"NUMANode\" nbobjs=\"" + std::to_string(rows.size()) +
           "\" kind=\"5\" name=\"NUMALatency\" indexing=\"os\">" + list("indexes", nodes) +
           list("u64values", values) + "</distances2>";
  }
  static std::string file(const std::string& machine, const std::string& latencies) {
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
           "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
           "<topology version=\"2.0\">" +
           machine + latencies + "</topology>\n";
  }

 private:
  static constexpr unsigned none = UINT32_MAX;  // the system has no number for it

  static std::string hex(uint64_t mask) {
    std::string out;
    for (; mask != 0 || out.empty(); mask >>= 4)
      out.insert(out.begin(), "0123456789abcdef"[mask & 15]);
    return "0x" + out;
  }
  static std::string list(const std::string& name, const std::string& text) {
    return "<" + name + " length=\"" + std::to_string(text.size()) + "\">" + text + "</" + name +
           ">";
  }
  std::string object(const std::string& type, unsigned number, uint64_t mask, uint64_t nodes,
                     const std::string& more, const std::string& inside) {
    std::string out = "<object type=\"" + type + "\"";
    if (number != none) out += " os_index=\"" + std::to_string(number) + "\"";
    for (const char* name : {"cpuset", "complete_cpuset"})
      out += std::string(" ") + name + "=\"" + hex(mask) + "\"";
    for (const char* name : {"nodeset", "complete_nodeset"})
      out += std::string(" ") + name + "=\"" + hex(nodes) + "\"";
    return out + more + " gp_index=\"" + std::to_string(++objects_) + "\">" + inside + "</object>";
  }

  unsigned objects_ = 0;
};

}  // namespace weft::rt::topo
