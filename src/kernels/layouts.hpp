// SPDX-License-Identifier: MIT
// Ways of dealing the observed entries to processes. A fiber must be whole on one process for its products to be
// made there, and no way of dealing keeps the fibers of all parts whole. So entries are cut at positions of one mode:
// every part in which that mode must agree has its fibers whole. The other parts have a second layout, cut at
// positions of one of the modes that agree in them; one number for each entry goes there and comes back with every
// product. Parts that can share a layout do. A part with no agreeing mode (one fiber, or one line of fibers along near
// modes) has all entries on one process.
//
// The first layout is that of the tensor given; which of its modes are cut is found from where the entries are. On
// one process all parts are in it.
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <memory>
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
  Count largest = 0;  // entries on one process

  [[nodiscard]] int owner(Index position) const;
  // Of each of these cells.
  [[nodiscard]] std::vector<int> owners(const Cells& cells) const;
};

// Such that processes have about equally many entries, of all processes, along the mode.
[[nodiscard]] Cuts cut(const Cells& cells, Index extent, int mode, const Communicator& everyone);

// Entries of other processes and this one's own, dealt anew and in canonical order. Takes the modes' names and sizes
// from the tensor.
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

  // What operators over these layouts have sent from this process.
  struct Sent {
    Count applications = 0;
    Count numbers = 0;
  };
  [[nodiscard]] Sent& sent() const { return sent_; }

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
  mutable Sent sent_;
};

// How many layouts beside the first these parts of a tensor of this many modes need, at the least.
[[nodiscard]] int other_layouts(std::span<const PartSpec> parts, int order);

// This process's share of the entries for a fit with these parts, from any disjoint portions of them: cut at the mode
// for which the parts' products take the least, counted in entries that a process visits, sends and gets back.
[[nodiscard]] ObservedTensor take_share(const ObservedTensor& portion, std::span<const PartSpec> parts,
                                        const Communicator& everyone);
// The same where every process has all entries.
[[nodiscard]] ObservedTensor take_share_of_whole(const ObservedTensor& whole, std::span<const PartSpec> parts,
                                                 const Communicator& everyone);

}  // namespace lacuna
