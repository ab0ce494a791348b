// SPDX-License-Identifier: MIT
#include "search/remembered.hpp"

#include "method/saved_fit.hpp"

namespace lacuna {

FitResult remember(const FitCallbacks& callbacks, const FitTask& task,
                   const std::function<FitResult(const FitCallbacks&)>& fit) {
  Journal* const journal = journal_of(callbacks.checkpoint);
  if (journal == nullptr) return fit(callbacks);
  const std::string key = journal->next(task.kind);
  FitResult result;
  std::vector<FitProgress> history;
  const auto fields = [&](Archive& archive) {
    archive("result", result);
    archive("history", history);
  };
  if (const Saved* known = journal->finished(key, task.about); known != nullptr) {
    Archive archive(*known);
    fields(archive);
    if (callbacks.progress)
      for (const FitProgress& step : history) (void)callbacks.progress(step);
    if (const auto model = journal->take_model(key)) {
      result.model = *model;
      journal->hold(key, model, task.hold);
    } else if (task.hold == Journal::Hold::kAll) {
      Archive::refuse(key, "its model");
    }
    return result;
  }
  FitCallbacks listening = callbacks;
  listening.progress = [&](const FitProgress& step) {
    history.push_back(step);
    return callbacks.progress ? callbacks.progress(step) : Flow::kContinue;
  };
  {
    const Journal::Within within(journal, key);
    result = fit(listening);
  }
  journal->finish(key, task.about, saved_by(fields), std::make_shared<const Model>(result.model), task.hold);
  return result;
}

FitResult fit_remembered(const ObservedTensor& tensor, const Settings& settings,
                         const FitCallbacks& callbacks, const Entries* test) {
  if (callbacks.checkpoint == nullptr) return fit_once(tensor, settings, callbacks, test);
  const std::string about = checksum_text(std::to_string(tensor.size()), settings, tensor.modes());
  return remember(callbacks, {.kind = "fit", .about = about},
                  [&](const FitCallbacks& listening) { return fit_once(tensor, settings, listening, test); });
}

}  // namespace lacuna
