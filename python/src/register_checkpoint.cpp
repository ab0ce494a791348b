// SPDX-License-Identifier: MIT
// Checkpoints: what a fit leaves in a file so that a later one goes on from it.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <filesystem>
#include <lacuna/io/files.hpp>
#include <lacuna/model/checkpoint.hpp>

#include "errors.hpp"
#include "register.hpp"

namespace nb = nanobind;

namespace lacuna::python {
namespace {

// `resume` may be the file itself, which need not be there yet.
std::shared_ptr<Checkpoint> open_checkpoint(const std::string& file, double every,
                                            const std::string& resume) {
  Checkpoint::Save save;
  if (!file.empty()) save = [file](const Checkpoint& state) { return save_checkpoint(file, state); };
  auto checkpoint = std::make_shared<Checkpoint>(std::move(save), every);
  checkpoint->call("data", "data");
  checkpoint->call("test", "test");
  std::error_code none;
  if (resume.empty() || (resume == file && !std::filesystem::exists(file, none))) return checkpoint;
  std::optional<Result<>> loaded;
  {
    const nb::gil_scoped_release free;
    loaded = load_checkpoint(resume, *checkpoint);
  }
  (void)value_of(std::move(*loaded));
  return checkpoint;
}

}  // namespace

void register_checkpoint(nb::module_& m) {
  nb::class_<Checkpoint>(m, "Checkpoint", "What a fit goes on from, and where it leaves that.")
      .def_prop_ro("saves", &Checkpoint::saves)
      .def_prop_ro(
          "problem",
          [](const Checkpoint& checkpoint) {
            const auto& problem = checkpoint.problem();
            return problem ? std::optional(problem->message()) : std::nullopt;
          },
          "Why it could not be written the last time, or None.");
  m.def("open_checkpoint", &open_checkpoint, nb::arg("file"), nb::arg("every"), nb::arg("resume"));
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const CheckpointError& problem) {
      PyErr_SetString(format_error_type(), problem.what());
    }
  });
}

}  // namespace lacuna::python
