// SPDX-License-Identifier: MIT
#include "method/latent/als_known.hpp"

namespace lacuna {
namespace {

std::vector<Index> rows_with_entries(const AlsSide& side) {
  std::vector<Index> rows;
  for (Count i = 0; i < side.lists.rows(); ++i)
    if (side.lists.start[i] < side.lists.start[i + 1]) rows.push_back(static_cast<Index>(i));
  return rows;
}

std::vector<Index> at(const std::vector<Index>& position, const std::vector<Index>& rows) {
  std::vector<Index> list;
  for (const Index i : rows) list.push_back(position[i]);
  return list;
}

}  // namespace

AlsKnown::AlsKnown(std::shared_ptr<const SideInformation> known, const AlsSide& side,
                   std::vector<Index> position)
    : position_(std::move(position)),
      row_(rows_with_entries(side)),
      regression_(std::move(known), at(position_, row_)),
      coefficients_(static_cast<std::size_t>(side.width()), Eigen::VectorXd::Zero(regression_.columns())) {}

void AlsKnown::improve(AlsSide& side) {
  const int width = side.width();
  square_ = 0.0;
  parallel_tasks(width, [&](int k) {
    if (!side.is_free(k)) return;
    const Eigen::VectorXd before = coefficients_[k];
    const auto number = [&](FactorTable<float>& table, Count i) -> float& {
      return table.data()[i * width + k];
    };
    coefficients_[k] = regression_.fit(
        [&](std::size_t which) {
          const Index i = row_[which];
          const double without =
              static_cast<double>(number(side.prior, i)) - regression_.at(position_[i], before);
          return static_cast<double>(number(side.mean, i)) - without;
        },
        kKnownPrecision / side.precision[k]);
    double deviation = 0.0;
    std::size_t next = 0;
    for (Count i = 0; i < side.lists.rows(); ++i) {
      const double moved =
          regression_.at(position_[i], coefficients_[k]) - regression_.at(position_[i], before);
      number(side.prior, i) += static_cast<float>(moved);
      if (next < row_.size() && row_[next] == i) {
        const double away =
            static_cast<double>(number(side.mean, i)) - static_cast<double>(number(side.prior, i));
        deviation += away * away;
        ++next;
      } else {
        number(side.mean, i) = number(side.prior, i);
      }
    }
    side.deviation[k] = deviation;
  });
  for (const Eigen::VectorXd& column : coefficients_) square_ += column.squaredNorm();
}

}  // namespace lacuna
