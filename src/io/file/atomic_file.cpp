// SPDX-License-Identifier: MIT
// Files that appear whole: written without a name (or, where a file system has no such files, under a temporary one),
// fsync, temporary name, rename, fsync of the folder.
#include "io/file/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <random>
#include <vector>

#include "base/system_text.hpp"
#include "io/file/standard_streams.hpp"
#include "io/file/temporary_files.hpp"

namespace lacuna {
namespace {

thread_local OutputsTogether* together = nullptr;  // whom this thread's files wait for

constexpr std::size_t kBuffer = std::size_t{1} << 16;
constexpr int kAttempts = 100;             // at a temporary name nobody uses
constexpr std::size_t kLongestStem = 200;  // names stop at 255 bytes on the usual file systems
constexpr int kMostLinks = 40;             // as the kernel: more lead in a circle

// "/dev/stdout" and its kin name an open file of this process: its own offset must be used, and a rename over
// what it points to would cut the shell's redirection loose. -1: an ordinary path.
int standard_descriptor(const std::string& path) {
  if (io::is_standard_stream(path) || path == "/dev/stdout") return io::data_output();
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const char* const folder : {"/dev/fd/", "/proc/self/fd/"}) {
    const std::size_t length = std::strlen(folder);
    if (path.compare(0, length, folder) != 0 || path.size() == length || path.size() > length + 6) continue;
    if (path.find_first_not_of("0123456789", length) != std::string::npos) continue;
    return std::atoi(path.c_str() + length);
  }
  return -1;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string random_suffix() {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  std::random_device device;
  std::string out(6, 'x');
  for (char& c : out) c = kLetters[device() % kLetters.size()];
  return out;
}

}  // namespace

std::string follow_link(const std::string& path) {
  std::filesystem::path place = path;
  for (int step = 0; step < kMostLinks; ++step) {
    std::error_code none;
    if (!std::filesystem::is_symlink(place, none)) return place.string();
    place = place.parent_path() /
            std::filesystem::read_symlink(place, none);  // an absolute one stands for itself
  }
  return path;
}

struct AtomicFile::State {
  std::string path;                    // as the caller wrote it, for messages
  std::string target;                  // what is replaced
  std::string nameless;                // where the system keeps the open file, while it has no name
  std::string temporary;               // its name, while it has one that is not the target's
  std::optional<TemporaryName> noted;  // for a program that is stopped before the file is whole
  int file = -1;
  bool direct = false;  // a device or pipe: written straight to
  bool done = false;
  std::vector<char> buffer;
  std::optional<Error> error;

  ~State() {
    if (file >= 0) ::close(file);
    if (!temporary.empty()) ::unlink(temporary.c_str());
  }

  void fail(int code) {
    if (!error) error = output_error(path, system_text(code));
  }
  void open_new(mode_t permissions_of_old, bool replaces);
  template <class Make>
  bool take_temporary_name(Make&& make);
  void give_name();  // to a file that has none
  void put(const char* data, std::size_t bytes);
  void flush() {
    put(buffer.data(), buffer.size());
    buffer.clear();
  }
  void sync_folder();
  void make_whole();                  // flushed, synced, closed, under a temporary name
  void take_place(bool may_go_back);  // the target's name; an old file then has the temporary one, if it can
  void give_back();                   // as it was before take_place()
  enum class Placed { kNot, kNew, kExchanged, kForGood } placed = Placed::kNot;
};

// Calls make(name), which returns a descriptor or -1, with names until one is new.
template <class Make>
bool AtomicFile::State::take_temporary_name(Make&& make) {
  const std::size_t slash = target.rfind('/');
  const std::size_t stem = slash == std::string::npos ? 0 : slash + 1;
  const std::string name = target.substr(stem, kLongestStem);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::string candidate = fmt::format("{}.{}.{}.tmp", target.substr(0, stem), name, random_suffix());
    noted.emplace(candidate.c_str());
    if (make(candidate.c_str()) >= 0) {
      temporary = std::move(candidate);
      return true;
    }
    const int code = errno;
    noted.reset();
    errno = code;
    if (code != EEXIST) return false;
  }
  return false;
}

// A file without a name goes when the process does, however that ends. open() instead of mkstemp() for the others:
// the kernel then applies the umask, which cannot be asked for without a race.
void AtomicFile::State::open_new(mode_t permissions_of_old, bool replaces) {
  file = ::open(folder_of(target).c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  if (file >= 0) {
    nameless = fmt::format("/proc/self/fd/{}", file);
    if (::access(nameless.c_str(), F_OK) != 0) {  // no /proc: it could never get a name
      ::close(file);
      file = -1;
      nameless.clear();
    }
  }
  if (file < 0)
    (void)take_temporary_name(
        [&](const char* name) { return file = ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
  if (file >= 0 && replaces) (void)::fchmod(file, permissions_of_old);  // a private file stays private
}

void AtomicFile::State::give_name() {
  if (error || nameless.empty()) return;
  const bool named = take_temporary_name([&](const char* name) {
    return ::linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
  });
  if (!named) fail(errno);
  nameless.clear();
}

void AtomicFile::State::put(const char* data, std::size_t bytes) {
  while (bytes > 0 && !error) {
    const ssize_t written = ::write(file, data, bytes);
    if (written < 0) {
      if (errno != EINTR) fail(errno);
      continue;
    }
    data += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

// Some file systems cannot sync a folder; the file itself is safe by then, so that is no failure.
void AtomicFile::State::sync_folder() {
  const int folder = ::open(folder_of(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  (void)::fsync(folder);
  ::close(folder);
}

Result<AtomicFile> AtomicFile::create(const std::string& path) {
  auto state = std::make_unique<State>();
  state->path = path;
  if (path.empty()) return output_error(path, "found an empty file name");
  struct stat info {};
  const int standard = standard_descriptor(path);
  if (standard >= 0) {
    state->direct = true;
    state->file = ::fcntl(standard, F_DUPFD_CLOEXEC, 0);
  } else {
    state->target = follow_link(path);
    const bool exists = ::stat(state->target.c_str(), &info) == 0;
    const int problem = exists ? 0 : errno;
    std::error_code none;
    if (std::filesystem::is_symlink(state->target, none)) return output_error(path, system_text(ELOOP));
    if (exists && S_ISDIR(info.st_mode)) return output_error(path, system_text(EISDIR));
    if (exists && !S_ISREG(info.st_mode)) {
      state->direct = true;
      state->file = ::open(state->target.c_str(), O_WRONLY | O_CLOEXEC);
    } else {
      const std::string folder = folder_of(state->target);
      struct stat folder_info {};
      if (::stat(folder.c_str(), &folder_info) != 0 && errno == ENOENT) {
        return output_error(path, fmt::format("the folder '{}' does not exist", folder));
      }
      // Such as a name that is too long, which a file without one would only meet when all is written.
      if (!exists && problem != ENOENT) return output_error(path, system_text(problem));
      state->open_new(info.st_mode & 0777U, exists);
    }
  }
  if (state->file < 0) return output_error(path, system_text(errno));
  state->buffer.reserve(kBuffer);  // write() takes no memory: libraries call it back from C
  return AtomicFile(std::move(state));
}

AtomicFile::AtomicFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
AtomicFile::AtomicFile(AtomicFile&&) noexcept = default;
AtomicFile& AtomicFile::operator=(AtomicFile&&) noexcept = default;
AtomicFile::~AtomicFile() = default;

void AtomicFile::write(const void* data, std::size_t bytes) {
  State& s = *state_;
  if (s.done || s.error || bytes == 0) return;
  if (s.buffer.size() + bytes > kBuffer) s.flush();
  const auto* const begin = static_cast<const char*>(data);
  if (bytes >= kBuffer) {
    s.put(begin, bytes);
    return;
  }
  s.buffer.insert(s.buffer.end(), begin, begin + bytes);
}

Result<std::string> AtomicFile::flush_to_path() {
  State& s = *state_;
  s.flush();
  if (s.error) return *s.error;
  if (s.direct) return output_error(s.path, "found a pipe or a device, expected a file for this format");
  s.give_name();
  if (s.error) return *s.error;
  return s.temporary;
}

Result<AtomicFile::Place> AtomicFile::place_for_program() {
  State& s = *state_;
  if (s.direct || s.nameless.empty()) {
    auto path = flush_to_path();
    return path ? Result<Place>(Place{.path = std::move(*path)}) : Result<Place>(path.error());
  }
  s.flush();
  if (s.error) return *s.error;
  return Place{.path = fmt::format("/proc/self/fd/{}", kGivenFile), .file = s.file};
}

void AtomicFile::State::make_whole() {
  flush();
  if (!direct && !error && ::fsync(file) != 0) fail(errno);
  give_name();
  if (::close(file) != 0) fail(errno);
  file = -1;
}

// Where it may have to go back, the old file is exchanged for the new one if the system can do that, so that it can come
// back. One file alone never has to: no moment has the old one under the temporary name.
void AtomicFile::State::take_place(bool may_go_back) {
  bool is_new = false;
  if (may_go_back) {
    if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0) {
      placed = Placed::kExchanged;
      return;
    }
    is_new = errno == ENOENT;
    if (!is_new && errno != EINVAL && errno != ENOSYS) return fail(errno);
  }
  if (::rename(temporary.c_str(), target.c_str()) != 0) return fail(errno);
  placed = is_new ? Placed::kNew : Placed::kForGood;
}

void AtomicFile::State::give_back() {
  const char* const mine = temporary.c_str();
  const bool back = placed == Placed::kExchanged
                        ? ::renameat2(AT_FDCWD, mine, AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0
                        : placed != Placed::kNew || ::rename(target.c_str(), mine) == 0;
  if (!back || placed == Placed::kForGood) temporary.clear();  // an old file must not go with it
}

Result<> AtomicFile::commit() {
  State& s = *state_;
  if (s.done) return Nothing{};
  s.make_whole();
  if (!s.direct && !s.error) {
    if (together != nullptr) {
      together->waiting_.push_back(std::move(state_));
      state_ = std::make_unique<State>();
      state_->done = true;
      return Nothing{};
    }
    if (::rename(s.temporary.c_str(), s.target.c_str()) == 0) {
      s.temporary.clear();
      s.noted.reset();
      s.sync_folder();
    } else {
      s.fail(errno);
    }
  }
  if (s.error) return *s.error;
  s.done = true;
  return Nothing{};
}

OutputsTogether::OutputsTogether() : outermost_(together == nullptr) {
  if (outermost_) together = this;
}

OutputsTogether::~OutputsTogether() {
  if (outermost_) together = nullptr;
}

Result<> OutputsTogether::commit() {
  if (!outermost_) return Nothing{};
  together = nullptr;
  std::optional<Error> error;
  for (const auto& one : waiting_) {
    one->take_place(waiting_.size() > 1);
    if (!one->error) continue;
    error = one->error;
    break;
  }
  if (error) {
    for (const auto& one : waiting_) one->give_back();
  } else {
    for (const auto& one : waiting_) {
      if (one->placed != AtomicFile::State::Placed::kExchanged) one->temporary.clear();
      one->sync_folder();
    }
  }
  waiting_.clear();  // what is left of temporary names goes
  return error ? Result<>(*error) : Result<>(Nothing{});
}

}  // namespace lacuna
