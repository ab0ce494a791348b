// SPDX-License-Identifier: MIT
#include "side_flags.hpp"

#include <fmt/format.h>

#include <lacuna/io/files.hpp>
#include <lacuna/model/structure.hpp>
#include <set>

#include "command.hpp"
#include "io/file/standard_streams.hpp"

namespace lacuna::cli {
namespace {

struct ModeFile {
  int mode = 0;
  std::string path;
};

Result<ModeFile> mode_and_file(const std::string& flag, const std::string& given,
                               const std::vector<Mode>& modes) {
  const std::size_t equals = given.find('=');
  if (equals == std::string::npos || equals + 1 == given.size())
    return usage_error(flag, fmt::format("found '{}', expected MODE=FILE such as {}=features.csv", given,
                                         modes.front().name));
  const auto mode = parse_mode_list(given.substr(0, equals), modes);
  if (!mode) return usage_error(flag, mode.error().what);
  if (mode->size() != 1)
    return usage_error(flag, fmt::format("found '{}', expected one mode before '='", given));
  if (modes[mode->front()].binning)
    return usage_error(flag,
                       fmt::format("mode {} is made of time stamps, expected one of labels or positions",
                                   modes[mode->front()].name));
  return ModeFile{.mode = mode->front(), .path = given.substr(equals + 1)};
}

std::string describe(const SideFile& read, const ModeFile& from, const Mode& mode, const char* what) {
  const std::string path = io::is_standard_stream(from.path) ? io::kStandardInput : from.path;
  std::string text = fmt::format("{}: {} {} of mode {}", path, grouped(read.listed), what, mode.name);
  if (read.added > 0)
    text += fmt::format(", {} of them new: they have no entries but will be predicted", grouped(read.added));
  return text;
}

}  // namespace

void SideFlags::add_flags(CLI::App& command) {
  const char* group = "Input";
  command
      .add_option(
          "--side", tables,
          "MODE=FILE: a table of features of a mode's positions, by label; positions that only it lists are "
          "predicted, too, from their features; with --graph a list of labels is enough; may repeat")
      ->group(group);
  command
      .add_option("--graph", graphs,
                  "MODE=FILE: edges between a mode's positions, label,label[,weight]; may repeat")
      ->group(group);
}

Result<> SideFlags::attach(TensorFile& file, std::vector<std::string>& notes) const {
  PositionNames names{.index_base = file.index_base, .may_grow = !file.dense};
  std::set<int> drawn;  // modes with a graph
  for (const std::string& given : graphs) {
    const auto from = mode_and_file("--graph", given, file.modes);
    if (!from) return from.error();
    drawn.insert(from->mode);
  }
  std::set<int> seen;
  for (const std::string& given : tables) {
    const auto from = mode_and_file("--side", given, file.modes);
    if (!from) return from.error();
    Mode& mode = file.modes[from->mode];
    if (!seen.insert(from->mode).second)
      return usage_error("--side", fmt::format("mode {} has two files, expected one", mode.name));
    names.alone = drawn.count(from->mode) > 0;
    const auto read = read_features(from->path, names, mode);
    if (!read) return read.error();
    notes.push_back(describe(*read, *from, mode, "positions"));
    notes.insert(notes.end(), read->notes.begin(), read->notes.end());
  }
  seen.clear();
  for (const std::string& given : graphs) {
    const auto from = mode_and_file("--graph", given, file.modes);
    if (!from) return from.error();
    Mode& mode = file.modes[from->mode];
    if (!seen.insert(from->mode).second)
      return usage_error("--graph", fmt::format("mode {} has two files, expected one", mode.name));
    const auto read = read_graph(from->path, names, mode);
    if (!read) return read.error();
    notes.push_back(describe(*read, *from, mode, "edges"));
  }
  return Nothing{};
}

}  // namespace lacuna::cli
