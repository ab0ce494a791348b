// SPDX-License-Identifier: MIT
// lacuna: one binary, a verb for each job. The only place that turns errors into exit codes.
#include <cxxabi.h>
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <lacuna/base/base.hpp>
#include <lacuna/base/memory_error.hpp>
#include <new>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <typeinfo>
#include <utility>

#include "base/system_text.hpp"
#include "cluster.hpp"
#include "io/file/temporary_files.hpp"
#include "program.hpp"
#include "run_record.hpp"
#include "signals.hpp"

namespace lacuna::cli {
namespace {

// How the program ends: a code, and a sentence for stderr when it failed.
struct Ending {
  int code = 0;
  std::string sentence{};
};

Ending fail(ErrorKind kind, std::string message) { return {static_cast<int>(kind), std::move(message)}; }

Ending run(int argc, char** argv) {
  if (const auto joined = join_cluster(); !joined) return fail(joined.error().kind, joined.error().message());
  Program program;
  const auto next = program.read({argv + std::min(argc, 1), argv + argc});
  if (!next) return fail(next.error().kind, next.error().message());
  if (*next == Program::Next::kDone) return {};
  const Result<int> result = program.run();
  return result ? Ending{.code = *result} : fail(result.error().kind, result.error().message());
}

// The exit code, once all that was printed is where it should go.
Ending printed(Ending ending) {
  if (!ending.sentence.empty() || (std::fflush(stdout) == 0 && std::ferror(stdout) == 0)) return ending;
  return fail(ErrorKind::kOutput, fmt::format("stdout: {}", system_text(errno)));
}

// Large vectors go back to the system when they are freed. glibc's default threshold grows with what is
// freed, and a large fit then carries a tenth more memory than it uses.
void return_freed_memory() { mallopt(M_MMAP_THRESHOLD, 256 << 10); }

// Takes no memory.
[[noreturn]] void end_for_lack_of_memory() {
  unlink_temporaries();
  constexpr std::string_view kSentence = "lacuna: out of memory\n";
  (void)!write(STDERR_FILENO, kSentence.data(), kSentence.size());
  _exit(static_cast<int>(ErrorKind::kMemory));
}

// Memory may also run out where nothing may be thrown: destructors of the JSON library allocate, and so does the way
// to a sentence. That is an end as any other that has a name.
[[noreturn]] void on_terminate() {
  const std::type_info* const thrown = abi::__cxa_current_exception_type();
  if (thrown != nullptr && *thrown == typeid(std::bad_alloc)) end_for_lack_of_memory();
  unlink_temporaries();
  std::abort();
}

bool main_has_ended = false;

// libgomp ends the program by itself when it gets no memory or no thread.
void on_exit_called(int code, void* /*nothing*/) {
  if (!main_has_ended && code == EXIT_FAILURE) end_for_lack_of_memory();
}

Ending run_guarded(int argc, char** argv) {
  try {
    return_freed_memory();
    install_signals();
    set_command_line(argc, argv);
    return printed(run(argc, argv));
  } catch (const std::system_error& error) {  // a line that could not be printed
    return fail(ErrorKind::kOutput, fmt::format("stdout: {}", error.code().message()));
  } catch (const std::invalid_argument& error) {
    return fail(ErrorKind::kUsage, error.what());
  } catch (const ValueRangeError& error) {
    return fail(ErrorKind::kInput, error.what());
  } catch (const CheckpointError& error) {
    return fail(ErrorKind::kInput, error.what());
  } catch (const MemoryError& error) {
    return fail(ErrorKind::kMemory, error.what());
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::kMemory, "out of memory");
  } catch (const std::exception& error) {
    return fail(ErrorKind::kInternal, fmt::format("internal error: {}", error.what()));
  }
}

}  // namespace
}  // namespace lacuna::cli

int main(int argc, char** argv) {
  using namespace lacuna::cli;
  std::set_terminate(on_terminate);
  on_exit(on_exit_called, nullptr);
  const Ending ending = run_guarded(argc, argv);
  const int code = end_together(ending.code, ending.sentence);
  main_has_ended = true;
  return code;
}
