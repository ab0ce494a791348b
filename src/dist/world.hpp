// SPDX-License-Identifier: MIT
// The processes that a launcher (mpirun, srun) has started together. The library speaks to them through a module of
// its own, lacuna-mpi.so, which is loaded only then: a program that runs alone links and starts no MPI.
#pragma once

#include <lacuna/base/base.hpp>
#include <memory>

#include "dist/communicator.hpp"

namespace lacuna {

// What the module provides.
class World {
 public:
  World() = default;
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  virtual ~World() = default;

  [[nodiscard]] virtual const Communicator& everyone() const = 0;
  [[nodiscard]] virtual int neighbours() const = 0;  // processes on this machine, this one counted
  // Waits for all processes to ask this: whether they did within so many seconds.
  [[nodiscard]] virtual bool all_have_ended(double seconds) const = 0;
  // Ends all processes, whatever they are doing.
  virtual void abort(int code) const = 0;
  // The last word, of all processes.
  virtual void leave() = 0;
};

inline constexpr const char* kModule = "lacuna-mpi.so";
// The one name that the module has for others: joins, and returns a World that its caller owns.
inline constexpr const char* kJoin = "lacuna_join_mpi";
using Join = World* (*)();

// How many processes the launcher says it has started; 1 without one. Starts nothing.
[[nodiscard]] int launched_processes();

// Null when this process was started alone. An error when it is one of several and the module is missing or is refused,
// or when MPI does not meet all of them, as with a launcher that speaks another protocol.
[[nodiscard]] Result<std::unique_ptr<World>> join_world();

}  // namespace lacuna
