// SPDX-License-Identifier: MIT
// Other programs: started without a shell, spoken to through one socket that is their standard input and output.
#pragma once

#include <lacuna/base/base.hpp>
#include <string>
#include <vector>

namespace lacuna::io {

class ChildProcess {
 public:
  // `file`, if there is one, is open in it as AtomicFile::kGivenFile.
  // words[0] is what it calls itself; its standard error goes nowhere, and its environment is what is given.
  // Errors have no place. What is written to and read from the socket fails after so many seconds of silence.
  static Result<ChildProcess> start(const std::string& program, std::vector<std::string> words,
                                    std::vector<std::string> environment, long patience, int file = -1);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();  // ends it

  [[nodiscard]] int socket() const { return socket_; }
  void say_no_more();  // it finds the end of its input

  // How it ended, as waitpid() says; -1 where nobody may ask. Waits for that.
  int wait();

 private:
  ChildProcess(int pid, int socket) : pid_(pid), socket_(socket) {}
  int pid_;
  int socket_;
};

// Seconds without a word after which a program is given up; LACUNA_FORMATS_TIMEOUT says otherwise.
[[nodiscard]] long most_silence();

}  // namespace lacuna::io
