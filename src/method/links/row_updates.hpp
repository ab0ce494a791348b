// SPDX-License-Identifier: MIT
// The rows of a table that one batch moves, their gradients, and what these are made of: pieces that are noted first
// and added up later, each row by one thread and in the order in which they were noted.
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <vector>

#include "base/parallel.hpp"
#include "linalg/matrix.hpp"

namespace lacuna {

class RowUpdates {
 public:
  // What adds to the gradient of a row: item number `item` of the batch, in the role `kind`.
  struct Piece {
    Index slot = 0;
    Index item = 0;
    int kind = 0;
  };

  RowUpdates(Index rows, Count width) : slot_of_(rows, kNone), width_(width) {}

  // Begins a batch that moves every row. The slot of a row is its number; gradients of slots [begin, end) are the
  // caller's to write before add_up().
  void begin_with_all(Index begin, Index end);
  // Begins a batch that moves these rows, in the slots 0, 1, ..., whose gradients are the caller's to write, and
  // those that pieces are noted for.
  void begin_with(std::span<const Index> rows);

  void note(Index row, Index item, int kind) {
    const Index slot = slot_of(row);
    pieces_[slot / kSlots].push_back({.slot = slot, .item = item, .kind = kind});
  }
  // The slot of a row, a new one if it had none.
  Index slot_of(Index row);
  [[nodiscard]] bool has(Index row) const { return slot_of_[row] != kNone; }
  [[nodiscard]] float* gradient(Index slot) { return gradient_.data() + Count{slot} * width_; }

  // add(piece, gradient) for every piece, in the order noted; then move(row, gradient) for every row of the batch. On
  // all threads, each row by one of them.
  template <class Add>
  void add_up(Add&& add) {
    grow();
    parallel_tasks(static_cast<int>(pieces_.size()), [&](int task) { add_up_task(task, add); });
  }
  template <class Move>
  void move_rows(Move&& move) {
    parallel_tasks(static_cast<int>(pieces_.size()), [&](int task) { move_task(task, move); });
  }
  // Both in one go: neither may look at other rows of the table than its own.
  template <class Add, class Move>
  void add_up_and_move(Add&& add, Move&& move) {
    grow();
    parallel_tasks(static_cast<int>(pieces_.size()), [&](int task) {
      add_up_task(task, add);
      move_task(task, move);
    });
  }

 private:
  static constexpr Index kNone = 0xffffffffU;
  static constexpr Index kSlots = 512;  // of one task

  void clear();
  void grow();
  [[nodiscard]] Index begin_of(int task) const { return static_cast<Index>(task) * kSlots; }
  [[nodiscard]] Index end_of(int task) const {
    return std::min<Index>(begin_of(task) + kSlots, static_cast<Index>(rows_.size()));
  }
  template <class Add>
  void add_up_task(int task, Add& add) {
    for (Index slot = begin_of(task); slot < end_of(task); ++slot)
      if (slot < written_begin_ || slot >= written_end_) std::fill_n(gradient(slot), width_, 0.0F);
    for (const Piece& piece : pieces_[task]) add(piece, gradient(piece.slot));
  }
  template <class Move>
  void move_task(int task, Move& move) {
    for (Index slot = begin_of(task); slot < end_of(task); ++slot) move(rows_[slot], gradient(slot));
  }

  std::vector<Index> slot_of_;
  std::vector<Index> rows_;  // of each slot
  std::vector<float> gradient_;
  std::vector<std::vector<Piece>> pieces_;  // of each task
  Count width_;
  Index written_begin_ = 0;
  Index written_end_ = 0;
};

}  // namespace lacuna
