// SPDX-License-Identifier: MIT
#include "top_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/system_text.hpp"
#include "io/text/table_write.hpp"

namespace lacuna::cli {
namespace {

nlohmann::ordered_json number_or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

std::string number_or_nothing(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : std::string();
}

}  // namespace

Result<TopOutput> TopOutput::open(const Predictor& predictor, const ModeNames& names, Options options) {
  TopOutput output(predictor, names, std::move(options));
  const std::string& path = output.options_.path;
  if (!path.empty() && path != "-") {
    auto file = io::TextWriter::create(path);
    if (!file) return file.error();
    output.file_ = std::move(*file);
    output.delimiter_ = io::output_delimiter(path, {});
  }
  if (!output.options_.json) output.header();
  return output;
}

void TopOutput::header() {
  text_ += "query" + delimiter_ + "rank";
  for (int k = 0; k < names_->order(); ++k)
    text_ += delimiter_ + io::table_field(names_->name(k), delimiter_);
  text_ += delimiter_ + "value";
  if (options_.interval > 0.0) text_ += delimiter_ + "low" + delimiter_ + "high";
  text_ += "\n";
}

std::vector<TopOutput::Ends> TopOutput::intervals(const TopLists& lists) const {
  std::vector<Ends> ends(lists.value.size());
  if (!(options_.interval > 0.0)) return ends;
  const Calibration& calibration = predictor_->model().calibration;
  const std::vector<Count> support = predictor_->support(lists.cells);
  for (std::size_t i = 0; i < ends.size(); ++i)
    ends[i] = interval_ends(calibration, predictor_->range(), lists.value[i], support[i], options_.interval);
  return ends;
}

void TopOutput::table_line(const Query& query, Count rank, const TopLists& lists, Count cell,
                           const Ends& ends) {
  text_ += fmt::format("{}{}{}", questions_, delimiter_, rank);
  for (int k = 0; k < names_->order(); ++k) {
    text_ += delimiter_;
    text_ += query.role[k] == Asked::kLeftOut
                 ? "*"
                 : io::table_field(names_->text(k, lists.cells[k][cell]), delimiter_);
  }
  text_ += fmt::format("{}{}", delimiter_, lists.value[cell]);
  if (options_.interval > 0.0)
    text_ +=
        fmt::format("{0}{1}{0}{2}", delimiter_, number_or_nothing(ends.low), number_or_nothing(ends.high));
  text_ += "\n";
}

void TopOutput::json_line(const Query& query, const TopLists& lists, Count first, Count last,
                          const std::vector<Ends>& ends) {
  nlohmann::ordered_json asked = nlohmann::ordered_json::object();
  for (int k = 0; k < names_->order(); ++k)
    if (query.role[k] == Asked::kFixed) asked[names_->name(k)] = names_->text(k, query.at[k]);
  nlohmann::ordered_json top = nlohmann::ordered_json::array();
  for (Count i = first; i < last; ++i) {
    nlohmann::ordered_json cell = nlohmann::ordered_json::object();
    for (int k = 0; k < names_->order(); ++k)
      if (query.role[k] == Asked::kOpen) cell[names_->name(k)] = names_->text(k, lists.cells[k][i]);
    cell["value"] = lists.value[i];
    if (options_.interval > 0.0) {
      cell["low"] = number_or_null(ends[i].low);
      cell["high"] = number_or_null(ends[i].high);
    }
    top.push_back(std::move(cell));
  }
  text_ += as_json_line({{"query", std::move(asked)}, {"top", std::move(top)}});
}

Result<> TopOutput::write(const std::vector<Query>& queries, std::size_t first, const TopLists& lists) {
  const std::vector<Ends> ends = intervals(lists);
  for (std::size_t q = 0; q + 1 < lists.start.size(); ++q) {
    const Query& query = queries[first + q];
    ++questions_;
    if (options_.json) {
      json_line(query, lists, lists.start[q], lists.start[q + 1], ends);
      continue;
    }
    for (Count i = lists.start[q]; i < lists.start[q + 1]; ++i)
      table_line(query, i - lists.start[q] + 1, lists, i, ends[i]);
  }
  cells_ += lists.cells.size();
  return flush();
}

Result<> TopOutput::flush() {
  if (file_) {
    file_->text(text_);
  } else if (std::fwrite(text_.data(), 1, text_.size(), stdout) != text_.size() || std::fflush(stdout) != 0) {
    return output_error("stdout", system_text(errno));
  }
  text_.clear();
  return Nothing{};
}

Result<> TopOutput::finish() {
  if (auto flushed = flush(); !flushed) return flushed;
  return file_ ? file_->commit() : Result<>(Nothing{});
}

}  // namespace lacuna::cli
