// SPDX-License-Identifier: MIT
// What a Checkpoint holds. A fit is a sequence of tasks (trials, fits after each other) that is the same whenever it
// is run again, given what each task came to. So a fit goes on by running from its beginning: tasks that the journal
// knows are answered from it, and the first that it does not know is done, from the state it was left in if that was
// kept.
//
// A task has a key, its number among those of its kind within the task around it ("trial 3/fit 1"), and a
// sentence about what was asked, by which a journal of another path is found out: from there on it is forgotten.
//
// The model that a task came to is as large as the data. It is kept as long as somebody holds it, because then it may
// still be asked for; when nobody does, all that was made of it is in the journal, too.
//
// Where processes share the entries (share()), each has some of every model's dual. All of them run through the same
// tasks, and the one that writes gathers the models that are to be kept when it does: what is written is as large, and
// means the same, whoever shared it.
//
// Time: seconds() are those that all runs together have used. While tasks are answered it stands where it stood then.
#pragma once

#include <lacuna/model/checkpoint.hpp>
#include <lacuna/model/model.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "base/stopwatch.hpp"
#include "dist/communicator.hpp"

namespace lacuna {

struct JournalItem {
  std::string key;
  std::string about;      // what was asked
  bool finished = false;  // else it is the state of a task under way
  double seconds = 0.0;   // by then
  Saved saved{};
  std::weak_ptr<const Model> model{};
  std::shared_ptr<const Model> held{};  // the same, where nobody else holds it
};

class Journal {
 public:
  using About = std::vector<std::pair<std::string, std::string>>;  // name and value, in words

  Journal(std::function<Result<>()> write, double every);

  // What the fit is about: data and settings. Throws CheckpointError when the journal is about something else.
  void bind(About about);
  void call(const std::string& what, std::string name) { names_[what] = std::move(name); }
  [[nodiscard]] const About& about() const { return about_; }

  // From here on these processes run through the tasks together, and each has of a model's dual a part. Called by all of
  // them, when they have loaded the same; finish(), keep() and save() are, too. They must outlive the fit.
  void share(const Communicator& everyone);

  // Of one more task of this kind.
  [[nodiscard]] std::string next(const std::string& kind);
  // Tasks are within this one as long as it lives.
  class Within {
   public:
    Within(Journal* journal, const std::string& key);  // null: nothing is kept
    ~Within();
    Within(const Within&) = delete;
    Within& operator=(const Within&) = delete;

   private:
    Journal* journal_;
    std::string outer_;
    std::vector<std::pair<std::string, int>> outer_counts_;
  };

  // What a task that is done came to, or null; holds until the next call that is not const.
  [[nodiscard]] const Saved* finished(const std::string& key, const std::string& about);
  // Its model, if it is still there. From here on it is whoever asked that holds it.
  [[nodiscard]] std::shared_ptr<const Model> take_model(const std::string& key);
  // It is to be found here as long as it lives.
  void lend_model(const std::string& key, const std::shared_ptr<const Model>& model);
  // The state that a task was left in.
  [[nodiscard]] std::optional<Saved> take_state(const std::string& key, const std::string& about);

  // The task is done, and with it all within it. `model`: see above. Saves when it is time.
  // Whose models are held, beside those that others hold: nobody's, of this task and the one of its kind before it, of
  // all of its kind.
  enum class Hold { kNothing, kLastTwo, kAll };
  void finish(const std::string& key, const std::string& about, Saved saved,
              const std::shared_ptr<const Model>& model = {}, Hold hold = Hold::kNothing);
  // Likewise of a task that was answered.
  void hold(const std::string& key, std::shared_ptr<const Model> model, Hold how);
  // Saves, with the state of the task under way.
  void keep(const std::string& key, const std::string& about, Saved saved);

  // It is time to keep() the state: the last save is long ago, or the fit is about to stop.
  [[nodiscard]] bool wanted() const;
  // The user wants the fit to stop: what comes to an end from here on does so because of that, and is not
  // taken down.
  void close();
  [[nodiscard]] bool closed() const { return closed_; }
  // Writes it, unless nothing was taken down or kept since it was written last.
  void save();
  void on_problem(std::function<void(const std::string&)> tell) { tell_ = std::move(tell); }
  [[nodiscard]] const std::optional<Error>& problem() const { return problem_; }
  [[nodiscard]] int saves() const { return saves_; }

  [[nodiscard]] double seconds() const;

  // For whoever reads and writes it.
  [[nodiscard]] const std::vector<JournalItem>& items() const { return items_; }
  void load(std::string source, About about, std::vector<JournalItem> items);
  [[nodiscard]] CheckpointError refusal(const std::string& sentence) const {
    return CheckpointError(source_.empty() ? sentence : source_ + ": " + sentence);
  }

 private:
  std::vector<JournalItem>::iterator at(const std::string& key);
  JournalItem* find(const std::string& key, const std::string& about, bool finished);
  JournalItem& place(const std::string& key);
  void go_live(double seconds);
  [[nodiscard]] Result<> write();

  const Communicator* sharers_ = &serial_communicator();
  std::function<Result<>()> write_;
  double every_;
  About about_;
  std::map<std::string, std::string> names_;  // of data and test entries, in messages
  bool loaded_ = false;
  bool bound_ = false;
  std::string source_;  // where it was read from
  std::vector<JournalItem> items_;
  std::string prefix_;
  std::vector<std::pair<std::string, int>> counts_;  // of tasks begun within the present one, by kind
  bool closed_ = false;
  bool changed_ = false;  // since the last save
  std::optional<Error> problem_;
  std::function<void(const std::string&)> tell_;
  int saves_ = 0;
  double replayed_ = 0.0;       // seconds() while tasks are answered
  std::optional<double> live_;  // on the steady clock, when seconds() was 0
  double last_save_;            // on the steady clock
};

// The journal of a checkpoint that may be none.
[[nodiscard]] inline Journal* journal_of(Checkpoint* checkpoint) {
  return checkpoint == nullptr ? nullptr : &checkpoint->journal();
}

// Saved by name and value: `fields(archive)` both ways.
template <class Fields>
[[nodiscard]] Saved saved_by(Fields&& fields) {
  Saved saved;
  Archive archive(saved);
  fields(archive);
  return saved;
}

// compute(), or what it came to in the run that this one goes on with: for what is made of a model that may be gone.
template <class T, class Compute>
[[nodiscard]] T remembered(Journal* journal, const std::string& kind, Compute&& compute,
                           const std::string& about = "") {
  if (journal == nullptr) return compute();
  const std::string key = journal->next(kind);
  T value{};
  if (const Saved* known = journal->finished(key, about); known != nullptr) {
    Archive archive(*known);
    archive("value", value);
    return value;
  }
  {
    const Journal::Within within(journal, key);
    value = compute();
  }
  journal->finish(key, about, saved_by([&](Archive& archive) { archive("value", value); }));
  return value;
}

}  // namespace lacuna
