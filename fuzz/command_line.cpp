// SPDX-License-Identifier: MIT
// Words of a command line, and the lines of a --config file: they are understood or refused with a sentence. Nothing
// that they ask for is done.
#include "program.hpp"
#include "support.hpp"

using namespace lacuna;

namespace {

// One word a line. --config is left out: it would open files.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string word = text.substr(begin, end - begin);
    if (word.find("conf") == std::string::npos) words.push_back(std::move(word));
    begin = end + 1;
  }
  return words;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile memory;
  FuzzedDataProvider input(data, size);
  const bool from_file = input.ConsumeBool();
  const char* const verb =
      input.PickValueInArray({"fit", "tune", "complete", "predict", "evaluate", "split", "convert"});
  const std::string text = input.ConsumeRemainingBytesAsString();
  std::vector<std::string> words =
      from_file ? std::vector<std::string>{verb, "--config", memory.path()} : words_of(text);
  memory.fill({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  cli::Program program;
  if (const auto read = program.read(std::move(words)); !read) fuzz::check(read.error());
  return 0;
}
