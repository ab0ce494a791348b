// SPDX-License-Identifier: MIT
// Packs what is written as the file's name asks for: .gz, .zst or .xz.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace lacuna::io {

class PackedWriter {
 public:
  // Nothing when the name asks for no packing. Throws std::bad_alloc when there is no memory for it.
  static std::optional<PackedWriter> for_name(std::string_view path);
  PackedWriter(PackedWriter&&) noexcept;
  PackedWriter& operator=(PackedWriter&&) noexcept;
  ~PackedWriter();

  // Hands on what these bytes, and those before them, have been packed to. `last`: nothing follows.
  void add(std::string_view bytes, bool last, const std::function<void(std::string_view)>& put);

 private:
  struct State;
  explicit PackedWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace lacuna::io
