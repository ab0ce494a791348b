// SPDX-License-Identifier: MIT
#include "search/remembered.hpp"

#include "method/saved_fit.hpp"
#include "model/body.hpp"

namespace lacuna {

void check_remembered(const Journal& journal, const std::vector<Mode>& modes) {
  for (const JournalItem& item : journal.items())
    if (const auto model = item.model.lock();
        model && !model->modes.empty() && extents(model->modes) != extents(modes))
      throw journal.refusal("the checkpoint is damaged: the model of '" + item.key + "' has other modes");
}

void check_remembered(const FitResult& result) {
  if (!result.certificate || result.model.modes.empty()) return;
  const Latent* const latent = result.model.latent();
  if (latent == nullptr || latent->parts.size() != result.certificate->parts.size())
    Archive::refuse("certificate", "one of its model");
}

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
    check_remembered(result);
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
