// SPDX-License-Identifier: MIT
// Our reader of MATLAB's version 5 against libmatio, which runs in a child process: it has a history of memory errors,
// and when it crashes or takes long there is nothing to compare with. Files that only one of the two takes are not
// compared, either: ours is the stricter one.
#include <fcntl.h>
#include <matio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <memory>

#include "io/matlab/mat5.hpp"
#include "mutate.hpp"
#include "support.hpp"

using namespace lacuna;

namespace {

constexpr std::size_t kMostCells = 1 << 14;  // more than a small file holds
constexpr std::size_t kLongestName = 256;
constexpr unsigned kSeconds = 2;  // for one file

// What libmatio says of a variable; no cells where it says nothing that can be compared.
struct Answer {
  std::uint32_t class_number = 0;
  std::uint32_t order = 0;
  std::uint64_t size[8] = {};
  std::uint64_t cells = 0;
  double value[kMostCells] = {};
};

template <class Number>
void copy_numbers(const matvar_t& variable, Answer& out) {
  const auto* const from = static_cast<const Number*>(variable.data);
  for (std::size_t i = 0; i < out.cells; ++i) out.value[i] = static_cast<double>(from[i]);
}

// In double and single: other classes are converted as C does it, which is not defined for all numbers.
void ask_libmatio(const std::string& path, const char* name, Answer& out) {
  out.cells = 0;
  const std::unique_ptr<mat_t, int (*)(mat_t*)> file(Mat_Open(path.c_str(), MAT_ACC_RDONLY), Mat_Close);
  if (!file) return;
  const std::unique_ptr<matvar_t, void (*)(matvar_t*)> variable(Mat_VarReadInfo(file.get(), name),
                                                                Mat_VarFree);
  if (!variable || variable->isComplex || variable->dims == nullptr || variable->rank < 1 ||
      variable->rank > 8)
    return;
  std::size_t cells = 1;
  for (int k = 0; k < variable->rank; ++k) {
    out.size[k] = variable->dims[k];
    if (out.size[k] > kMostCells) return;
    cells *= out.size[k];
    if (cells > kMostCells) return;
  }
  const bool wide = variable->class_type == MAT_C_DOUBLE;
  if (!wide && variable->class_type != MAT_C_SINGLE) return;
  if (Mat_VarReadDataAll(file.get(), variable.get()) != 0 || variable->data == nullptr) return;
  if (variable->nbytes != cells * (wide ? sizeof(double) : sizeof(float))) return;
  out.class_number = static_cast<std::uint32_t>(variable->class_type);
  out.order = static_cast<std::uint32_t>(variable->rank);
  out.cells = cells;
  if (wide)
    copy_numbers<double>(*variable, out);
  else
    copy_numbers<float>(*variable, out);
}

// The child, and another one when it has ended.
class Libmatio {
 public:
  explicit Libmatio(std::string path) : path_(std::move(path)) {}

  // Whether there is an answer.
  bool ask(const std::string& name, Answer& out) {
    if (child_ == 0) start();
    char question[kLongestName] = {};
    name.copy(question, sizeof question - 1);
    const bool told = send(socket_, question, sizeof question, MSG_NOSIGNAL) == sizeof question &&
                      recv(socket_, &out, sizeof out, MSG_WAITALL) == sizeof out;
    if (told) return out.cells > 0;
    close(socket_);
    waitpid(child_, nullptr, 0);
    child_ = 0;
    return false;
  }

 private:
  void start() {
    int ends[2];
    fuzz::require(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "no socket");
    child_ = fork();
    fuzz::require(child_ >= 0, "no child");
    socket_ = ends[child_ == 0 ? 1 : 0];
    close(ends[child_ == 0 ? 0 : 1]);
    if (child_ == 0) answer_all();
  }

  [[noreturn]] void answer_all() {
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGALRM, SIGILL}) std::signal(number, SIG_DFL);
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDERR_FILENO);
    auto answer = std::make_unique<Answer>();
    char name[kLongestName];
    while (recv(socket_, name, sizeof name, MSG_WAITALL) == sizeof name) {
      alarm(kSeconds);
      ask_libmatio(path_, name, *answer);
      alarm(0);
      if (send(socket_, answer.get(), sizeof *answer, MSG_NOSIGNAL) != sizeof *answer) break;
    }
    _exit(0);
  }

  std::string path_;
  pid_t child_ = 0;
  int socket_ = -1;
};

void compare(const io::MatContent& ours, const Answer& theirs) {
  const bool single = theirs.class_number == MAT_C_SINGLE;
  if (ours.variable.type != (single ? "single" : "double")) return;
  const std::vector<std::uint64_t> shape(theirs.size, theirs.size + theirs.order);
  fuzz::require(ours.variable.shape == shape, "libmatio sees other sizes");
  std::vector<double> value = ours.value;
  if (single)
    for (double& number : value) number = static_cast<double>(static_cast<float>(number));
  fuzz::require(fuzz::same_numbers(value, {theirs.value, theirs.cells}), "libmatio sees other numbers");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile memory;
  static Libmatio libmatio(memory.path());
  static auto answer = std::make_unique<Answer>();
  memory.fill({data, size});
  const auto file = io::ByteFile::open(memory.path());
  if (!file || !io::is_mat5(*file)) return 0;
  const auto variables = io::list_mat5(*file);
  if (!variables) return 0;
  for (const io::MatVariable& variable : *variables) {
    if (variable.kind != io::MatKind::kDense || variable.complex || variable.name.size() >= kLongestName)
      continue;
    if (variable.name.find('.') != std::string::npos) continue;  // a field: libmatio has no name for it
    const auto ours = io::load_mat5(*file, variable.name);
    if (ours && libmatio.ask(variable.name, *answer)) compare(*ours, *answer);
    break;
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  return fuzz::mutate_file(data, size, most, seed, 0, fuzz::change_mat5);
}
