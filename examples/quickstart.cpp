// SPDX-License-Identifier: MIT
// The smallest useful program: observed entries in, a fitted model, predictions out, the model kept in a
// file.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <lacuna/lacuna.hpp>
#include <random>
namespace {

using lacuna::Index;

// Temperatures by place x day x hour.
double temperature(Index place, Index day, Index hour) {
  return 12.0 + 0.3 * place + 4.0 * std::sin(0.4 * day) * (1.0 + 0.05 * place) + 5.0 * std::sin(0.26 * hour);
}

// About a third of the readings arrived; the cells that are not listed are missing.
lacuna::Entries readings() {
  lacuna::Entries entries;
  entries.cells = lacuna::Cells(3);
  std::mt19937_64 random(1);
  for (Index place = 0; place < 12; ++place)
    for (Index day = 0; day < 30; ++day)
      for (Index hour = 0; hour < 24; ++hour) {
        if (random() % 10 >= 3) continue;
        entries.cells.add({place, day, hour});
        entries.value.push_back(temperature(place, day, hour));
      }
  return entries;
}

int fail(const lacuna::Error& error) {
  std::fprintf(stderr, "quickstart: %s\n", error.message().c_str());
  return 1;
}

}  // namespace

int main() {
  // The entries are checked: an Inf, or a cell listed twice, is an error that says so.
  auto tensor = lacuna::ObservedTensor::create(
      {{.name = "place", .size = 12}, {.name = "day", .size = 30}, {.name = "hour", .size = 24}}, readings());
  if (!tensor) return fail(tensor.error());

  // With no setting the program chooses everything on held-out readings; any value given is kept.
  const lacuna::FitResult result = lacuna::fit(std::move(*tensor));
  std::printf("%d steps, %s; training error %.4f\n", result.last.iteration, result.stop_reason.c_str(),
              result.last.train_rmse);

  if (auto saved = lacuna::save_model("quickstart.lac", result.model); !saved) return fail(saved.error());
  const auto model = lacuna::load_model("quickstart.lac");
  if (!model) return fail(model.error());

  // Three readings, whether they arrived or not. Cells are listed mode by mode.
  const lacuna::Cells cells = {{1, 4, 9}, {0, 10, 21}, {3, 8, 17}};
  const std::vector<double> predicted = lacuna::Predictor(*model).predict(cells).value;
  double worst = 0.0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const double truth = temperature(cells[0][i], cells[1][i], cells[2][i]);
    std::printf("place %2u, day %2u, hour %2u: predicted %6.2f, was %6.2f\n", cells[0][i], cells[1][i],
                cells[2][i], predicted[i], truth);
    worst = std::max(worst, std::abs(predicted[i] - truth));
  }
  return worst < 0.5 ? 0 : 1;
}
