// SPDX-License-Identifier: MIT
#include "dist/communicator.hpp"

namespace lacuna {
namespace {

class SerialCommunicator final : public Communicator {
 public:
  void sum(std::span<double>) const override {}
  void sum(std::span<float>) const override {}
};

}  // namespace

const Communicator& serial_communicator() {
  static const SerialCommunicator serial;
  return serial;
}

}  // namespace lacuna
