// SPDX-License-Identifier: MIT
// Lists of edges between the positions of a mode.
#include <fmt/format.h>

#include <cmath>
#include <lacuna/io/files.hpp>
#include <lacuna/model/side.hpp>

#include "io/file/stream_copy.hpp"
#include "io/text/decimal.hpp"
#include "io/text/fields.hpp"
#include "io/text/number.hpp"
#include "io/text/position_lookup.hpp"
#include "io/text/table_sample.hpp"

namespace lacuna {
namespace {

bool is_weight(std::string_view text, double& weight) {
  return io::parse_decimal(text, '.', weight) && weight >= 0.0 && std::isfinite(weight);
}

// A first record that names no positions, above one that does or where positions are numbers, names columns.
bool is_header(const io::TableSample& sample, const io::PositionLookup& lookup) {
  const std::vector<std::string>& first = sample.rows.front();
  if (first.size() < 2 || lookup.find(io::trim(first[0])) != kUnseen ||
      lookup.find(io::trim(first[1])) != kUnseen)
    return false;
  return lookup.labelled()
             ? sample.rows.size() > 1 && lookup.find(io::trim(sample.rows[1].front())) != kUnseen
             : !lookup.number(io::trim(first[0])).has_value();
}

Result<GraphEdge> read_edge(const io::RecordReader& records, const io::PositionLookup& lookup,
                            std::string& scratch) {
  const auto fields = records.fields();
  GraphEdge edge;
  for (const int end : {0, 1}) {
    const std::string_view text = io::trim(io::field_text(fields[end], scratch));
    const Index position = lookup.find(text);
    if (position == kUnseen)
      return input_error(records.where(fields[end]),
                         fmt::format("found {}, expected {}", io::quoted(text), lookup.expected()));
    (end == 0 ? edge.from : edge.to) = position;
  }
  if (fields.size() == 3 && !is_weight(io::trim(fields[2].text), edge.weight))
    return input_error(
        records.where(fields[2]),
        fmt::format("found {}, expected the weight of an edge: a number >= 0", io::quoted(fields[2].text)));
  return edge;
}

Result<SideFile> read_graph_file(const std::string& path, const PositionNames& names, Mode& mode) {
  const auto sample = io::sample_table(path, "", '.');
  if (!sample) return sample.error();
  if (sample->rows.empty()) return input_error(path, "no lines, expected edges such as a,b,1");
  const io::PositionLookup lookup(mode, names.index_base);
  auto reader = io::TextReader::open(path);
  if (!reader) return reader.error();
  io::RecordReader records(*reader, sample->delimiter);
  bool header = is_header(*sample, lookup);
  std::vector<GraphEdge> edges;
  std::string scratch;
  Count last_line = 0;
  while (records.next()) {
    last_line = reader->line_number();
    const std::size_t columns = records.fields().size();
    if (columns != 2 && columns != 3)
      return input_error(reader->where(),
                         fmt::format("found {} column{}, expected two names and maybe a weight", columns,
                                     columns == 1 ? "" : "s"));
    if (std::exchange(header, false)) continue;
    auto edge = read_edge(records, lookup, scratch);
    if (!edge) return edge.error();
    edges.push_back(*edge);
  }
  if (auto status = records.status(); !status) return status.error();
  const SideInformation side = side_of_graph(mode.size, edges);
  if (side.value.empty())
    return input_error(
        fmt::format("{}:{}", path, last_line),
        "found no edge between two positions up to this last line, expected at least one of weight > 0");
  mode.side = std::make_shared<const SideInformation>(mode.side ? both_sides(*mode.side, side) : side);
  return SideFile{.listed = static_cast<Count>(edges.size()), .added = 0, .notes = {}};
}

}  // namespace

Result<SideFile> read_graph(const std::string& path, const PositionNames& names, Mode& mode) {
  if (!io::is_stream(path)) return read_graph_file(path, names, mode);
  const auto copy = io::StreamCopy::take(path);  // it is looked at first, then read
  if (!copy) return copy.error();
  auto read = read_graph_file(copy->path(), names, mode);
  if (!read) return copy->of_stream(read.error());
  return read;
}

}  // namespace lacuna
