// SPDX-License-Identifier: MIT
#include "search/remembered.hpp"

#include "method/saved_fit.hpp"

namespace lacuna {

FitResult fit_remembered(const ObservedTensor& tensor, const Settings& settings,
                         const FitCallbacks& callbacks, const Entries* test) {
  Journal* const journal = journal_of(callbacks.checkpoint);
  if (journal == nullptr) return fit_once(tensor, settings, callbacks, test);
  const std::string key = journal->next("fit");
  const std::string about = checksum_text(std::to_string(tensor.size()), settings, tensor.modes());
  FitResult result;
  std::vector<FitProgress> history;
  const auto fields = [&](Archive& archive) {
    archive("result", result);
    archive("history", history);
  };
  if (const Saved* known = journal->finished(key, about); known != nullptr) {
    Archive archive(*known);
    fields(archive);
    if (callbacks.progress)
      for (const FitProgress& step : history) (void)callbacks.progress(step);
    if (const auto model = journal->take_model(key)) {
      result.model = *model;
      journal->hold_last_two(key, model);
    }
    return result;
  }
  FitCallbacks listening = callbacks;
  listening.progress = [&](const FitProgress& step) {
    history.push_back(step);
    return callbacks.progress ? callbacks.progress(step) : Flow::kContinue;
  };
  const Journal::Within within(journal, key);
  result = fit_once(tensor, settings, listening, test);
  journal->finish(key, about, saved_by(fields), std::make_shared<const Model>(result.model),
                  Journal::Hold::kLastTwo);
  return result;
}

}  // namespace lacuna
