// SPDX-License-Identifier: MIT
// What TR-MM and TR-LS share in one fit: checked settings, the clock, the test cells, the callbacks.
#pragma once

#include <lacuna/base/stopwatch.hpp>
#include <lacuna/manifold/product.hpp>
#include <lacuna/method/fit.hpp>
#include <lacuna/problem/problem_data.hpp>

namespace lacuna {

// Options with every default filled in and everything checked against the tensor.
struct FitPlan {
  std::vector<PartOptions> parts;
  std::vector<int> ranks;
  std::vector<double> lambda;  // at the end of the path
  std::vector<double> path;    // factors on lambda, the last one 1

  [[nodiscard]] std::vector<PartSpec> specs() const;
};

[[nodiscard]] FitPlan make_plan(const ObservedTensor& tensor, const FitOptions& options,
                                const FitCallbacks& callbacks);

class FitRun {
 public:
  FitRun(const FitOptions& options, const FitCallbacks& callbacks, const Entries* test,
         const Offsets& offsets, std::optional<Range> clip);

  // Finds the test cells' fibers; their time is not counted.
  void prepare_test(const ObservedTensor& tensor, const std::vector<PartKernels>& parts);

  // True when the user or the clock says stop; polled inside steps.
  [[nodiscard]] bool stop_now();
  [[nodiscard]] Interrupted poll() {
    return [this] { return stop_now(); };
  }

  // Measures, tells the callback; z and lambda are those of the point u, train_rmse its error on the data.
  template <class Real>
  Flow report(const IterationRecord& record, Count applications, double train_rmse,
              const std::vector<PartKernels>& parts, const std::vector<Matrix<Real>>& u,
              std::span<const double> lambda, std::span<const Real> z);

  // Does something that is measuring, not fitting: the clock stands still.
  template <class Work>
  auto measure(Work&& work) {
    watch_.pause();
    auto result = work();
    watch_.resume();
    return result;
  }
  void note_gap(double gap) { progress_.gap = gap; }

  void start_stage(double path_factor) {
    progress_.lambda = path_factor;
    first_iteration_ = progress_.iteration;
  }
  void finish(const Summary& summary, FitResult& result) const;
  // The user wants the result now.
  [[nodiscard]] bool interrupted() const { return callbacks_->interrupted && callbacks_->interrupted(); }
  [[nodiscard]] bool stopped() const { return stop_ != Stop::kNone; }
  [[nodiscard]] double seconds() const { return watch_.seconds(); }

 private:
  enum class Stop { kNone, kTime, kUser };

  const FitOptions* options_;
  const FitCallbacks* callbacks_;
  const Entries* test_;
  std::vector<double> test_offset_;
  std::optional<Range> clip_;
  std::optional<CellPlan> test_plan_;
  Stopwatch watch_;
  FitProgress progress_;
  int first_iteration_ = 0;
  Stop stop_ = Stop::kNone;
};

// The factors to start from: another model's where it fits, else random or spectral.
template <class Real>
[[nodiscard]] std::vector<Matrix<Real>> starting_factors(const ProblemData<Real>& data, const FitPlan& plan,
                                                         const FitOptions& options);

// The warm model's Z when it is about the same entries, else empty.
template <class Real>
[[nodiscard]] std::vector<Real> starting_dual(const ObservedTensor& tensor, const FitOptions& options);

template <class Real>
[[nodiscard]] ProductManifold<Real> spectrahedra(const ProblemData<Real>& data,
                                                 const std::vector<int>& ranks);

// Each solves its problem along the path and leaves U and Z.
template <class Real>
struct Solution {
  std::vector<Matrix<Real>> u;
  std::vector<Real> z;
  std::vector<double> lambda;  // that U and Z belong to: where the path ended
  std::vector<double> mixture;
  std::optional<Certificate> certificate;
  Summary summary;

  void set_mixture(const ProblemData<Real>& data);
};
template <class Real>
[[nodiscard]] Solution<Real> solve_dual(const ObservedTensor& tensor, const FitPlan& plan,
                                        const FitOptions& options, FitRun& run);
template <class Real>
[[nodiscard]] Solution<Real> solve_primal(const ObservedTensor& tensor, const FitPlan& plan,
                                          const FitOptions& options, FitRun& run);

}  // namespace lacuna
