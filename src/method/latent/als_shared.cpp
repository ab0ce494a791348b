// SPDX-License-Identifier: MIT
#include "method/latent/als_shared.hpp"

namespace lacuna {
namespace {

class SharedStep {
 public:
  SharedStep(AlsSide& side, const RowLists& others, const AlsEntries& entries, FactorTable<float>& along,
             FactorTable<float>& gradient)
      : side_(&side),
        others_(&others),
        weight_(entries.weight.empty() ? nullptr : entries.weight.data()),
        along_(&along),
        gradient_(&gradient),
        width_(side.width()),
        ridge_(width_) {
    for (int k = 0; k < width_; ++k) ridge_[k] = static_cast<float>(kSharedPrecision / side.precision[k]);
  }

  // along_i <- scale_i (f_i - prior_i)
  void measure_distance() {
    (void)for_row_blocks(side_->lists, {}, [&](int block) {
      for_rows(side_->lists, block, [&](Count i, Count at) {
        for (int k = 0; k < width_; ++k)
          along_->data()[at + k] = side_->is_free(k) ? side_->scale[i] * distance(at + k) : 0.0F;
      });
    });
  }

  // gradient_c <- sum_e w_e along_i(e) - (kappa / lambda) s_c; its square for each column.
  std::vector<double> find_gradient() {
    return column_sums(*others_, width_, [&](int block, double* sums) {
      for_rows(*others_, block, [&](Count c, Count at) {
        float* g = gradient_->data() + at;
        for (int k = 0; k < width_; ++k) g[k] = -ridge_[k] * side_->shared.data()[at + k];
        kernels::row_kernels().add_rows(others_->row(c), along_->data(), width_, weight_, g);
        for (int k = 0; k < width_; ++k) sums[k] += square(g[k]);
      });
    });
  }

  // along_i <- the change of prior_i along the gradient; its square for each column.
  std::vector<double> find_change() {
    return column_sums(side_->lists, width_, [&](int block, double* sums) {
      for_rows(side_->lists, block, [&](Count i, Count at) {
        float* q = along_->data() + at;
        std::fill(q, q + width_, 0.0F);
        kernels::row_kernels().add_rows(side_->lists.row(i), gradient_->data(), width_, weight_, q);
        for (int k = 0; k < width_; ++k) {
          q[k] *= side_->scale[i];
          sums[k] += square(q[k]);
        }
      });
    });
  }

  void move(const std::vector<double>& falls, const std::vector<double>& moved) {
    std::vector<float> step(width_, 0.0F);
    for (int k = 0; k < width_; ++k) {
      const double bend = moved[k] + static_cast<double>(ridge_[k]) * falls[k];
      if (bend > 0.0) step[k] = static_cast<float>(falls[k] / bend);
    }
    side_->shared_square = column_sums(*others_, width_, [&](int block, double* sums) {
      for_rows(*others_, block, [&](Count, Count at) {
        for (int k = 0; k < width_; ++k) {
          float& s = side_->shared.data()[at + k];
          s += step[k] * gradient_->data()[at + k];
          sums[k] += square(s);
        }
      });
    });
    side_->deviation = column_sums(side_->lists, width_, [&](int block, double* sums) {
      for_rows(side_->lists, block, [&](Count, Count at) {
        for (int k = 0; k < width_; ++k) {
          if (!side_->is_free(k)) continue;
          side_->prior.data()[at + k] += step[k] * along_->data()[at + k];
          sums[k] += square(distance(at + k));
        }
      });
    });
  }

 private:
  static double square(float x) { return static_cast<double>(x) * static_cast<double>(x); }
  [[nodiscard]] float distance(Count at) const { return side_->mean.data()[at] - side_->prior.data()[at]; }
  template <class Body>
  void for_rows(const RowLists& lists, int block, Body&& body) const {
    for (Count i = lists.block[block]; i < lists.block[block + 1]; ++i) body(i, i * width_);
  }

  AlsSide* side_;
  const RowLists* others_;
  const float* weight_;
  FactorTable<float>* along_;
  FactorTable<float>* gradient_;
  int width_;
  std::vector<float> ridge_;
};

}  // namespace

void improve_shared(AlsSide& side, const RowLists& others, const AlsEntries& entries,
                    FactorTable<float>& along, FactorTable<float>& gradient) {
  SharedStep step(side, others, entries, along, gradient);
  step.measure_distance();
  const std::vector<double> falls = step.find_gradient();
  const std::vector<double> moved = step.find_change();
  step.move(falls, moved);
}

}  // namespace lacuna
