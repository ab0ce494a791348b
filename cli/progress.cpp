// SPDX-License-Identifier: MIT
#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "io/file/atomic_file.hpp"
#include "method/run_record.hpp"

namespace lacuna::cli {
namespace {

std::string optional_number(const std::optional<double>& value, const char* absent) {
  return value ? error_text(*value) : absent;
}

}  // namespace

ProgressView::ProgressView(const Output& output, const Settings& options, bool has_test)
    : options_(options),
      has_test_(has_test),
      quiet_(output.quiet),
      live_(isatty(STDERR_FILENO) == 1 && output.verbose == 0) {}

// How far along: the gradient's way to the tolerance on a log scale, or the limits on steps and time if those
// are nearer.
double ProgressView::fraction(const FitProgress& progress) const {
  const MethodInfo& method = info(options_.method.value_or(Method::kTrMm));
  const int most = options_.max_iterations.value_or(method.max_iterations);
  const double tolerance = options_.tolerance.value_or(method.tolerance);
  double done = most > 0 ? static_cast<double>(progress.iteration) / most : 1.0;
  if (options_.max_time) done = std::max(done, progress.seconds / *options_.max_time);
  if (tolerance > 0.0 && progress.relative_gradient > 0.0 && first_gradient_ > tolerance)
    done = std::max(
        done, std::log(first_gradient_ / progress.relative_gradient) / std::log(first_gradient_ / tolerance));
  return std::clamp(done, 0.0, 1.0);
}

void ProgressView::show(const FitProgress& progress) {
  if (quiet_) return;
  if (first_gradient_ == 0.0) first_gradient_ = progress.relative_gradient;
  if (live_)
    show_line(progress);
  else
    show_row(progress);
}

void ProgressView::show_line(const FitProgress& progress) {
  constexpr int kWidth = 24;
  shown_fraction_ = std::max(shown_fraction_, fraction(progress));
  const int filled = static_cast<int>(std::lround(shown_fraction_ * kWidth));
  std::string line =
      fmt::format("\r\x1b[K[{}{}] step {}  {:.1f} s  objective {:.6g}  train {}",
                  std::string(static_cast<std::size_t>(filled), '#'),
                  std::string(static_cast<std::size_t>(kWidth - filled), '.'), progress.iteration,
                  progress.seconds, progress.objective, error_text(progress.train_rmse));
  if (progress.test_mrr)
    line += fmt::format("  mrr {:.4f}", *progress.test_mrr);
  else if (progress.test_rmse)
    line += fmt::format("  test {}", error_text(*progress.test_rmse));
  if (progress.test_auc) line += fmt::format("  auc {:.4f}", *progress.test_auc);
  fmt::print(stderr, "{}", line);
  std::fflush(stderr);
}

void ProgressView::show_row(const FitProgress& progress) {
  if (!header_shown_) {
    header_shown_ = true;
    const std::string test = !has_test_          ? ""
                             : progress.test_mrr ? fmt::format(" {:>9}", "test mrr")
                                                 : fmt::format(" {:>10} {:>9}", "test rmse", "test auc");
    fmt::print(stderr, "{:>5} {:>9} {:>14} {:>10} {:>10}{}\n", "step", "seconds", "objective", "gradient",
               "train rmse", test);
  }
  std::string row =
      fmt::format("{:>5} {:>9.2f} {:>14.8g} {:>10.2e} {:>10}", progress.iteration, progress.seconds,
                  progress.objective, progress.gradient_norm, error_text(progress.train_rmse));
  if (progress.test_mrr)
    row += fmt::format(" {:>9.4f}", *progress.test_mrr);
  else if (has_test_)
    row += fmt::format(" {:>10} {:>9}", optional_number(progress.test_rmse, "-"),
                       optional_number(progress.test_auc, "-"));
  if (!progress.accepted) row += "  (step refused)";
  fmt::print(stderr, "{}\n", row);
}

void ProgressView::finish() {
  if (live_ && !quiet_) fmt::print(stderr, "\n");
}

Result<> History::save(const std::string& path) const {
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : std::string();
  };
  std::string text =
      "iteration,seconds,objective,gradient_norm,train_rmse,test_rmse,test_auc,test_mrr,gap,operator_"
      "applications\n";
  for (const FitProgress& step : steps_)
    text += fmt::format("{},{:.6f},{},{},{},{},{},{},{},{}\n", step.iteration, step.seconds, step.objective,
                        step.gradient_norm, step.train_rmse, number(step.test_rmse), number(step.test_auc),
                        number(step.test_mrr), number(step.gap), step.operator_applications);
  return write_whole(path, text);
}

std::string error_text(double error) {
  constexpr double kLeast = 1e-3;  // less has no five digits behind the point
  constexpr double kMost = 1e7;
  const bool plain = error == 0.0 || (std::abs(error) >= kLeast && std::abs(error) < kMost);
  return plain ? fmt::format("{:.5f}", error) : fmt::format("{:.5g}", error);
}

std::string applications_text(const FitResult& result) {
  const Count fitting = result.last.operator_applications;
  const Count choosing = result.choosing_applications;
  if (fitting == 0 && choosing == 0) return "";
  std::string text = fmt::format("{} applications of the operator", grouped(fitting));
  if (choosing > 0) text += fmt::format(" to fit, {} to choose", grouped(choosing));
  return text;
}

std::string expectation_text(const FitResult& result) {
  std::string expected;
  if (result.held_out_mrr)
    expected = fmt::format("of unseen facts expect a filtered MRR of about {:.4f}; ", *result.held_out_mrr);
  else if (result.held_out_auc)
    expected = fmt::format("on unseen cells expect an AUC of about {:.4f}; ", *result.held_out_auc);
  else if (result.held_out_rmse)
    expected = fmt::format("on unseen cells expect an RMSE of about {:.4g}; ", *result.held_out_rmse);
  return expected +
         fmt::format("choosing took {:.2f} s, fitting {:.2f} s", result.choosing_seconds, result.seconds);
}

std::vector<StepRecord> History::records() const {
  std::vector<StepRecord> records;
  for (const FitProgress& step : steps_) records.push_back(step_record(step));
  return records;
}

}  // namespace lacuna::cli
