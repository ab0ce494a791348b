// SPDX-License-Identifier: MIT
// The temporary files this process has open, in a form that a signal handler may read: a program that is
// stopped leaves none behind.
#pragma once

namespace lacuna {

// Notes a temporary file while it exists. To be made before the file is, so that no moment lies between.
class TemporaryName {
 public:
  // Longer names, and more files at a time than there are places, are not noted: they outlive a kill.
  explicit TemporaryName(const char* path);
  ~TemporaryName() { forget(); }
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;
  void forget();

 private:
  int place_ = -1;
};

// Unlinks all that are noted. Safe in a signal handler: no lock, no allocation.
void unlink_temporaries();

}  // namespace lacuna
