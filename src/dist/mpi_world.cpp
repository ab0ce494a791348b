// SPDX-License-Identifier: MIT
// MPI as carrier. The only file that includes <mpi.h>; a module by itself (world.hpp). Uses no name of the library
// that is not defined in a header.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "dist/world.hpp"

namespace lacuna {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 30;  // bytes of one message: MPI counts with 31 bits
constexpr auto kPause = std::chrono::milliseconds(5);

int rank_in(MPI_Comm all) {
  int rank = 0;
  MPI_Comm_rank(all, &rank);
  return rank;
}
int size_of(MPI_Comm all) {
  int size = 1;
  MPI_Comm_size(all, &size);
  return size;
}

class MpiCommunicator final : public Communicator {
 public:
  explicit MpiCommunicator(MPI_Comm all) : Communicator(rank_in(all), size_of(all)), all_(all) {}

 private:
  void carry_all_to_all(const std::byte* values, std::span<const std::int64_t> bytes, std::byte* received,
                        std::span<const std::int64_t> from) const override {
    std::vector<std::int64_t> out(bytes.size() + 1, 0);
    std::vector<std::int64_t> in(bytes.size() + 1, 0);
    for (std::size_t r = 0; r < bytes.size(); ++r) {
      out[r + 1] = out[r] + bytes[r];
      in[r + 1] = in[r] + from[r];
    }
    requests_.clear();
    const auto in_messages = [&](std::int64_t begin, std::int64_t end, auto&& message) {
      for (; begin < end; begin += kMost)
        message(begin, static_cast<int>(std::min(kMost, end - begin)), &requests_.emplace_back());
    };
    const auto me = static_cast<std::size_t>(rank());
    const auto processes = static_cast<std::size_t>(size());
    for (std::size_t step = 1; step < processes; ++step) {
      const std::size_t r = (me + processes - step) % processes;
      in_messages(in[r], in[r + 1], [&](std::int64_t at, int count, MPI_Request* request) {
        MPI_Irecv(received + at, count, MPI_BYTE, static_cast<int>(r), 0, all_, request);
      });
    }
    for (std::size_t step = 1; step < processes; ++step) {
      const std::size_t r = (me + step) % processes;
      in_messages(out[r], out[r + 1], [&](std::int64_t at, int count, MPI_Request* request) {
        MPI_Isend(values + at, count, MPI_BYTE, static_cast<int>(r), 0, all_, request);
      });
    }
    if (bytes[me] > 0) std::memcpy(received + in[me], values + out[me], static_cast<std::size_t>(bytes[me]));
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }
  void carry_gather(const std::byte* mine, std::int64_t bytes, std::byte* all) const override {
    MPI_Allgather(mine, static_cast<int>(bytes), MPI_BYTE, all, static_cast<int>(bytes), MPI_BYTE, all_);
  }
  void carry_broadcast(std::byte* values, std::int64_t bytes, int from) const override {
    for (std::int64_t begin = 0; begin < bytes; begin += kMost)
      MPI_Bcast(values + begin, static_cast<int>(std::min(kMost, bytes - begin)), MPI_BYTE, from, all_);
  }

  MPI_Comm all_;
  mutable std::vector<MPI_Request> requests_;
};

class MpiWorld final : public World {
 public:
  MpiWorld() : everyone_(start()) {
    MPI_Comm_dup(MPI_COMM_WORLD, &end_);
    MPI_Comm here = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    neighbours_ = size_of(here);
    MPI_Comm_free(&here);
  }

  [[nodiscard]] const Communicator& everyone() const override { return everyone_; }
  [[nodiscard]] int neighbours() const override { return neighbours_; }
  [[nodiscard]] bool all_have_ended(double seconds) const override {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(end_, &request);
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    for (;;) {
      int done = 0;
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done != 0) return true;
      if (std::chrono::steady_clock::now() >= until) return false;
      std::this_thread::sleep_for(kPause);
    }
  }
  void abort(int code) const override { MPI_Abort(MPI_COMM_WORLD, code); }
  void leave() override {
    MPI_Comm_free(&end_);
    MPI_Finalize();
  }

 private:
  // Only the thread that joined speaks; an error of MPI itself ends all processes.
  static MPI_Comm start() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    return MPI_COMM_WORLD;
  }

  MpiCommunicator everyone_;
  MPI_Comm end_ = MPI_COMM_NULL;
  int neighbours_ = 1;
};

}  // namespace
}  // namespace lacuna

extern "C" __attribute__((visibility("default"))) lacuna::World* lacuna_join_mpi() {
  return new lacuna::MpiWorld;
}
