// SPDX-License-Identifier: MIT
#include "checkpoint_flags.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <lacuna/io/files.hpp>
#include <optional>

#include "cluster.hpp"
#include "io/file/standard_streams.hpp"
#include "signals.hpp"

namespace lacuna::cli {

namespace {

// Nothing where the text is none. 0: after every step.
std::optional<double> seconds_of(const std::string& text) {
  if (text == "0") return 0.0;
  const auto duration = parse_duration(text);
  return duration ? std::optional(static_cast<double>(*duration)) : std::nullopt;
}

}  // namespace

void CheckpointFlags::add_flags(CLI::App& command) {
  const char* group = "Stopping and going on";
  command
      .add_option(
          "--checkpoint", file,
          "file to leave everything in that the fit needs to go on, now and then and when it is stopped")
      ->group(group);
  command.add_option("--every", every, "how often, such as 30s, 5m or 1h; 0: after every step")
      ->capture_default_str()
      ->group(group);
  command
      .add_option(
          "--resume", resume,
          "checkpoint to go on from, with the same data and settings: it ends with the same bits; may be "
          "the file of --checkpoint, which need not be there yet")
      ->group(group);
}

Result<> CheckpointFlags::check() const {
  if (!seconds_of(every))
    return usage_error("--every",
                       fmt::format("found '{}', expected 0 or a duration such as 30s, 5m or 1h", every));
  if (file.empty() || !everyone().first()) return Nothing{};
  std::error_code none;
  if (io::is_standard_stream(file) ||
      (std::filesystem::exists(file, none) && !std::filesystem::is_regular_file(file, none)))
    return output_error(file, "found a device or pipe, expected a file that a later run can read");
  return check_writable(file);
}

Result<std::unique_ptr<Checkpoint>> CheckpointFlags::open(const Output& output, const std::string& train,
                                                          const std::string& test) const {
  std::unique_ptr<Checkpoint> checkpoint;
  if (file.empty() && resume.empty()) return checkpoint;
  Checkpoint::Save save;
  if (!file.empty() && everyone().first())
    save = [path = file](const Checkpoint& state) { return save_checkpoint(path, state); };
  checkpoint = std::make_unique<Checkpoint>(std::move(save), *seconds_of(every));
  checkpoint->call("data", train);
  if (!test.empty()) checkpoint->call("test", test);
  std::error_code none;
  if (resume.empty()) return checkpoint;
  if (resume == file && !everyone().any(std::filesystem::exists(file, none))) {
    output.say(fmt::format("note: there is no {} yet; the fit begins", file));
    return checkpoint;
  }
  if (auto loaded = agreed(load_checkpoint(resume, *checkpoint)); !loaded) return loaded.error();
  output.say(fmt::format("note: the fit goes on from {}", resume));
  return checkpoint;
}

Result<> CheckpointFlags::kept(const Checkpoint* checkpoint, const Output& output) const {
  if (checkpoint == nullptr || file.empty() || signal_seen() == 0) return Nothing{};
  if (checkpoint->problem()) return *checkpoint->problem();
  std::error_code none;
  const bool left = checkpoint->saves() > 0 || (resume == file && std::filesystem::exists(file, none));
  output.say(
      left ? fmt::format("note: with --resume {} the same command goes on", file)
           : fmt::format("note: nothing had come to an end that {} could keep; the same command begins anew",
                         file));
  return Nothing{};
}

}  // namespace lacuna::cli
