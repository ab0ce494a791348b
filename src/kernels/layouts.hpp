// SPDX-License-Identifier: MIT
// Ways of dealing the observed entries to processes. A fiber must be whole on one process for its products to
// be made there, and no way of dealing keeps the fibers of all parts whole. So entries are cut at positions
// of one mode: every part in which that mode must agree has its fibers whole. The other parts have a second
// layout, cut at positions of one of the modes that agree in them; one number for each entry goes there and
// comes back with every product. Parts that can share a layout do. A part with no agreeing mode (one fiber,
// or one line of fibers along near modes) has all entries on one process.
//
// The first layout is that of the tensor given; which of its modes are cut is found from where the entries
// are. On one process all parts are in it.
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dist/communicator.hpp"
#include "dist/exchange.hpp"

namespace lacuna {

// Where the positions of a mode are cut: process r has those of [start[r], start[r + 1]).
struct Cuts {
  static constexpr int kNoMode = -1;  // all on the first process

  int mode = kNoMode;
  std::vector<Index> start;
  std::vector<Count> entries{};  // of each process
  Count largest = 0;             // of one, at the most

  [[nodiscard]] int owner(Index position) const;
  // Of each of these cells.
  [[nodiscard]] std::vector<int> owners(const Cells& cells) const;
};

// Such that processes have about equally many entries, of all processes, along the mode.
[[nodiscard]] Cuts cut(const Cells& cells, Index extent, int mode, const Communicator& everyone);

// Along no mode.
[[nodiscard]] Cuts all_on_the_first(Count all_entries, const Communicator& everyone);
// Those of every mode.
[[nodiscard]] std::vector<Cuts> all_cuts(const ObservedTensor& tensor, const Communicator& everyone);

// Whether the mode must agree within the part's fibers.
[[nodiscard]] bool agrees(const PartSpec& part, int mode);

// The mode that most of these parts, none of which has a layout yet, agree in; of several the one whose cuts
// are most even. kNoMode when the first of them agrees in none.
[[nodiscard]] int next_mode(std::span<const PartSpec* const> parts, const std::vector<Cuts>& cuts);

// Entries of other processes and this one's own, dealt anew and in canonical order. Takes the modes' names
// and sizes from the tensor.
struct Dealt {
  ObservedTensor tensor;
  Exchange exchange;
};
[[nodiscard]] Dealt deal_out(const ObservedTensor& tensor, const Cuts& cuts, const Communicator& everyone);

struct Layout {
  int mode = Cuts::kNoMode;                // whose positions are cut, of a layout other than the first
  const ObservedTensor* tensor = nullptr;  // this process's entries
  std::unique_ptr<Dealt> dealt{};          // of a layout other than the first
  Count crossing = 0;  // numbers that all processes together send when one for each entry goes there
  Count largest = 0;   // entries on one process
};

class Layouts {
 public:
  // The tensor, this process's share of the entries, and the communicator must outlive this.
  Layouts(const ObservedTensor& tensor, const Communicator& everyone);

  [[nodiscard]] const Communicator& everyone() const { return *everyone_; }
  [[nodiscard]] const ObservedTensor& tensor() const { return *layouts_.front()->tensor; }
  [[nodiscard]] Count all_entries() const { return all_entries_; }  // of all processes
  [[nodiscard]] std::size_t size() const { return layouts_.size(); }
  [[nodiscard]] const Layout& operator[](std::size_t which) const { return *layouts_[which]; }

  // What operators over these layouts, of numbers of either precision, have sent from this process.
  struct Sent {
    Count applications = 0;
    Count bytes = 0;
  };
  template <class Real>
  [[nodiscard]] Sent& sent() const {
    return sizeof(Real) == sizeof(float) ? sent_single_ : sent_double_;
  }

  // For each part the layout in which its fibers are whole; layouts that are not there yet are made.
  [[nodiscard]] std::vector<std::size_t> find(std::span<const PartSpec> parts);

 private:
  [[nodiscard]] bool whole_in(std::size_t which, const PartSpec& part) const;
  void add(int mode);

  const Communicator* everyone_;
  Count all_entries_ = 0;
  std::vector<bool> whole_;  // modes no position of which has entries on two processes
  std::vector<std::unique_ptr<Layout>> layouts_;
  std::vector<Cuts> cuts_;  // of every mode, once they are needed
  mutable Sent sent_single_;
  mutable Sent sent_double_;
};

// Any disjoint portions of the entries, dealt anew such that the fibers of this part, and of those in which
// more modes must agree, are whole on one process. Nothing on one process, where they are.
[[nodiscard]] std::optional<ObservedTensor> with_whole_fibers(const ObservedTensor& portion,
                                                              const PartSpec& part,
                                                              const Communicator& everyone);

}  // namespace lacuna
