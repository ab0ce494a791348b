// SPDX-License-Identifier: MIT
// The helper program lacuna-formats: HDF5, NetCDF, MATLAB 4 and 7.3 and TIFF files are read and written there and
// not here. Their libraries have a history of memory errors, and pull in three dozen others. A crash, an endless
// loop or a bomb in it becomes an Error here.
#pragma once

#include <lacuna/base/base.hpp>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "io/child/spawn.hpp"
#include "io/child/wire.hpp"

namespace lacuna::io {

class FormatsProcess {
 public:
  enum class Job { kRead, kWrite };  // an error in the other program is kInput or kOutput

  // Arrays of so many bytes it makes a file of in memory, where its library cannot write to one without a name.
  static constexpr std::size_t kMostInMemory = std::size_t{1} << 28;

  // `words`: the job, the kind of file and more, as formats/main.cpp takes them. `path` is what messages speak of,
  // `file` one that it is given (AtomicFile::place_for_program).
  static Result<FormatsProcess> start(Job job, const std::string& path, const std::vector<std::string>& words,
                                      int file = -1);

  // What is written, before the answer is read. Failures show there.
  WireWriter& to() { return to_; }

  // The answer's header. An {"error": ...} of the program's is returned as one.
  Result<nlohmann::json> answer();
  [[nodiscard]] const std::vector<std::uint64_t>& arrays() const { return from_.arrays(); }
  Result<> numbers(std::span<double> out);
  // That it said all it had to say.
  Result<> finish();
  // What an answer that is not as it should be is called.
  [[nodiscard]] Error nonsense() const;

 private:
  FormatsProcess(Job job, std::string path, ChildProcess child);
  Error failure();  // why nothing more came
  [[nodiscard]] Error error(std::string what) const;

  Job job_;
  std::string path_;
  ChildProcess child_;
  WireWriter to_;
  WireReader from_;
};

// A path that no library takes for an address or an option.
[[nodiscard]] std::string absolute_path(const std::string& path);

}  // namespace lacuna::io
