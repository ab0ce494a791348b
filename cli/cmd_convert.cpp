// SPDX-License-Identifier: MIT
// lacuna convert IN OUT: the same entries in another format.
#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "input.hpp"
#include "standard_streams.hpp"

namespace lacuna::cli {
namespace {

struct ConvertCommand {
  std::string in;
  std::string out;
  Output output;
  InputFlags input;

  Result<int> run() {
    in = input_path(in);
    auto options = input.read_options();
    if (!options) return options.error();
    auto file = read_tensor(in, *options);
    if (!file) return file.error();
    if (auto written = write_tensor(out, *file); !written) return written.error();
    const Count written_entries = file->entries.size();
    if (output.json)
      fmt::print("{}\n", nlohmann::ordered_json{{"shape", extents(file->modes)},
                                                {"entries", written_entries},
                                                {"missing", file->missing},
                                                {"output", out}}
                             .dump());
    else
      fmt::print("{}: {}, {} entries, {} of them missing, written to {}\n", in,
                 shape_text(extents(file->modes)), grouped(written_entries), grouped(file->missing), out);
    return 0;
  }
};

}  // namespace

Action add_convert(CLI::App& app) {
  auto command = std::make_shared<ConvertCommand>();
  CLI::App& verb = *app.add_subcommand("convert", "write a file's entries in the format of another name");
  verb.add_option("input", command->in, "file to read")->required();
  verb.add_option("output", command->out, "file to write; its ending says the format")->required();
  command->input.add_flags(verb);
  command->output.add_flags(verb);
  return [command] { return command->run(); };
}

}  // namespace lacuna::cli
