// SPDX-License-Identifier: MIT
#include "model/journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/share_plan.hpp"
#include "model/body.hpp"
#include "model/shared_values.hpp"

namespace lacuna {
namespace {

// Nothing that a fit comes to depends on it: the rest of the time may be longer or shorter than it was.
constexpr std::string_view kMayDiffer = "max-time";

const std::string* value_of(const Journal::About& about, const std::string& name) {
  for (const auto& [key, value] : about)
    if (key == name) return &value;
  return nullptr;
}

std::string shown(const std::string* value) {
  return value == nullptr || value->empty() ? "not given" : "'" + *value + "'";
}

// A model that was not kept has no modes.
bool is_gone(const Model& model) { return model.modes.empty(); }

bool is_within(const std::string& key, const std::string& outer) {
  return key.size() > outer.size() && key.compare(0, outer.size(), outer) == 0 && key[outer.size()] == '/';
}

}  // namespace

Checkpoint::Checkpoint(Save save, double every) {
  std::function<Result<>()> write;
  if (save) write = [this, save = std::move(save)] { return save(*this); };
  journal_ = std::make_unique<Journal>(std::move(write), every);
}

Checkpoint::~Checkpoint() = default;

void Checkpoint::call(const std::string& what, std::string name) { journal_->call(what, std::move(name)); }
const std::optional<Error>& Checkpoint::problem() const { return journal_->problem(); }
int Checkpoint::saves() const { return journal_->saves(); }

Journal::Journal(std::function<Result<>()> write, double every)
    : write_(std::move(write)), every_(every), last_save_(Stopwatch::steady_seconds()) {}

void Journal::bind(About about) {
  // The fit on everything that follows tuning.
  if (const std::string* task = value_of(about_, "task"); bound_ && task != nullptr && *task == "tune")
    return;
  bound_ = true;
  if (loaded_) {
    About all = about;
    all.insert(all.end(), about_.begin(), about_.end());
    for (const auto& [name, ignored] : all) {
      const std::string* const here = value_of(about, name);
      const std::string* const before = value_of(about_, name);
      const std::string none;
      if (name == kMayDiffer || (here ? *here : none) == (before ? *before : none)) continue;
      if (name == "data" || name == "test") {
        const auto called = names_.find(name);
        throw refusal(
            fmt::format("the checkpoint was made from other {}: {} has the checksum {}, expected {}",
                        name == "data" ? "data" : "test entries",
                        called == names_.end() ? "what is given" : called->second,
                        here ? *here : "of nothing", before ? *before : "of nothing"));
      }
      throw refusal(fmt::format("the checkpoint was made by a run with another {}: found {}, expected {}",
                                name, shown(here), shown(before)));
    }
  }
  about_ = std::move(about);
  counts_.clear();
  prefix_.clear();
  closed_ = false;
}

void Journal::share(const Communicator& everyone) {
  if (std::exchange(sharers_, &everyone) == &everyone || everyone.alone()) return;  // the fit after tuning
  for (JournalItem& item : items_) {
    if (!item.held || item.held->latent() == nullptr) continue;
    auto mine = std::make_shared<Model>(*item.held);
    ObservedTensor& dual = std::get<Latent>(*mine->body).dual;
    dual = portion_of_whole(dual, everyone);
    item.held = std::move(mine);
    item.model = item.held;
  }
}

std::string Journal::next(const std::string& kind) {
  auto count =
      std::find_if(counts_.begin(), counts_.end(), [&](const auto& one) { return one.first == kind; });
  if (count == counts_.end()) count = counts_.insert(count, {kind, 0});
  return prefix_ + kind + " " + std::to_string(++count->second);
}

Journal::Within::Within(Journal* journal, const std::string& key) : journal_(journal) {
  if (journal_ == nullptr) return;
  outer_ = journal_->prefix_;
  outer_counts_ = std::exchange(journal_->counts_, {});
  journal_->prefix_ = key + "/";
}

Journal::Within::~Within() {
  if (journal_ == nullptr) return;
  journal_->prefix_ = std::move(outer_);
  journal_->counts_ = std::move(outer_counts_);
}

std::vector<JournalItem>::iterator Journal::at(const std::string& key) {
  return std::find_if(items_.begin(), items_.end(), [&](const JournalItem& item) { return item.key == key; });
}

JournalItem* Journal::find(const std::string& key, const std::string& about, bool finished) {
  const auto item = at(key);
  if (item != items_.end() && item->about == about && item->finished == finished) {
    if (finished)
      replayed_ = std::max(replayed_, item->seconds);
    else
      go_live(item->seconds);
    return &*item;
  }
  if (item != items_.end()) items_.erase(item, items_.end());  // another path from here on
  go_live(replayed_);
  return nullptr;
}

const Saved* Journal::finished(const std::string& key, const std::string& about) {
  const JournalItem* const item = find(key, about, true);
  return item == nullptr ? nullptr : &item->saved;
}

std::shared_ptr<const Model> Journal::take_model(const std::string& key) {
  const auto item = at(key);
  if (item == items_.end()) return nullptr;
  std::shared_ptr<const Model> model = item->model.lock();
  item->held.reset();
  return model;
}

void Journal::lend_model(const std::string& key, const std::shared_ptr<const Model>& model) {
  if (const auto item = at(key); item != items_.end() && !is_gone(*model)) item->model = model;
}

std::optional<Saved> Journal::take_state(const std::string& key, const std::string& about) {
  JournalItem* const item = find(key, about, false);
  if (item == nullptr) return std::nullopt;
  Saved saved = std::move(item->saved);
  items_.erase(at(key));
  return saved;
}

// In the order in which tasks came to an end; what is within the task is forgotten.
JournalItem& Journal::place(const std::string& key) {
  std::erase_if(items_, [&](const JournalItem& item) { return item.key == key || is_within(item.key, key); });
  items_.emplace_back().key = key;
  changed_ = true;
  return items_.back();
}

void Journal::finish(const std::string& key, const std::string& about, Saved saved,
                     const std::shared_ptr<const Model>& model, Hold hold) {
  closed_ = sharers_->any(closed_);
  if (closed_) return;
  JournalItem& item = place(key);
  item.about = about;
  item.finished = true;
  item.seconds = seconds();
  item.saved = std::move(saved);
  item.model = model;
  this->hold(key, model, hold);
  if (sharers_->any(wanted())) save();
}

void Journal::keep(const std::string& key, const std::string& about, Saved saved) {
  JournalItem& item = place(key);
  item.about = about;
  item.seconds = seconds();
  item.saved = std::move(saved);
  save();
  items_.pop_back();  // it is as large as the data, and old at the next step
}

void Journal::hold(const std::string& key, std::shared_ptr<const Model> model, Hold how) {
  if (how == Hold::kNothing) return;
  const auto siblings = [&](const JournalItem& item) {
    return item.held && item.finished &&
           item.key.substr(0, item.key.rfind(' ')) == key.substr(0, key.rfind(' '));
  };
  const auto held = std::count_if(items_.begin(), items_.end(), siblings);
  if (held >= 2 && how == Hold::kLastTwo) std::find_if(items_.begin(), items_.end(), siblings)->held.reset();
  if (const auto item = at(key); item != items_.end()) {
    item->model = model;
    item->held = std::move(model);
  }
}

bool Journal::wanted() const {
  return write_ && (closed_ || Stopwatch::steady_seconds() - last_save_ >= every_);
}

void Journal::close() { closed_ = true; }

// With all of each model in place of this process's part.
Result<> Journal::write() {
  if (sharers_->alone()) return write_();
  std::vector<std::shared_ptr<const Model>> whole;
  std::vector<std::weak_ptr<const Model>> parts;
  for (JournalItem& item : items_) {
    parts.push_back(item.model);
    const std::shared_ptr<const Model> mine = item.model.lock();
    if (!mine || is_gone(*mine)) continue;
    auto all = std::make_shared<Model>(*mine);
    gather_dual(*sharers_, *all, GatherTo::kFirst);
    if (!write_) continue;
    item.model = all;
    whole.push_back(std::move(all));
  }
  Result<> written = write_ ? write_() : Result<>(Nothing{});
  for (std::size_t i = 0; i < items_.size(); ++i) items_[i].model = parts[i];
  return written;
}

void Journal::save() {
  if (!sharers_->any(write_ && changed_)) return;
  const auto written = write();
  last_save_ = Stopwatch::steady_seconds();
  if (written) {
    changed_ = false;
    problem_.reset();
    ++saves_;
    return;
  }
  problem_ = written.error();
  if (tell_)
    tell_(fmt::format("the checkpoint could not be written ({}); the fit goes on, and it will be tried again",
                      problem_->message()));
}

double Journal::seconds() const { return live_ ? Stopwatch::steady_seconds() - *live_ : replayed_; }

void Journal::go_live(double seconds) {
  const double began = Stopwatch::steady_seconds() - seconds;
  live_ = live_ ? std::min(*live_, began) : began;
}

void Journal::load(std::string source, About about, std::vector<JournalItem> items) {
  source_ = std::move(source);
  about_ = std::move(about);
  items_ = std::move(items);
  for (JournalItem& item : items_) item.model = item.held;
  loaded_ = true;
  changed_ = true;  // the file to write to may be another
  replayed_ = 0.0;
  live_.reset();
}

}  // namespace lacuna
