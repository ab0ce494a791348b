// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "io/file/fit_record_json.hpp"

namespace lacuna {
namespace {

using nlohmann::json;

FitRecord full_record() {
  FitRecord record;
  record.seed = std::numeric_limits<std::uint64_t>::max();
  record.parts = "user|item,week ; user|item";
  record.ranks = {20, 3};
  record.lambda = 0.1 + 0.2;
  record.lambdas = {1.0 / 3, 943};
  record.set("offsets", "user,item");
  record.set("tolerance", 1e-6);
  record.set("curve", std::vector<double>{1, 0.5});
  RunRecord& run = record.run.emplace();
  run.command = "lacuna fit 'a file'";
  run.train = RunRecord::File{.path = "a file", .checksum = "crc"};
  run.picture = true;
  run.threads = 2;
  run.iterations = 7;
  run.seconds = 0.25;
  run.choosing_seconds = 1.5;
  run.stop_reason = "gradient below tolerance";
  run.held_out_rmse = 0.9;
  run.held_out_mrr = 0.4;
  run.history = {{.iteration = 0, .seconds = 0.1, .objective = 3.0, .gradient_norm = 1.0, .train_rmse = 0.5},
                 {.iteration = 1,
                  .seconds = 0.2,
                  .objective = 2.0,
                  .gradient_norm = 0.1,
                  .train_rmse = 0.25,
                  .test_rmse = 0.75,
                  .test_mrr = 0.3,
                  .gap = 1e-3,
                  .operator_applications = 12}};
  run.tuning = TuningRecord{
      .metric = "RMSE",
      .folds = 2,
      .rows = {{.candidate = "tr-mm", .lambda = 10, .complete = true, .mean = 0.9, .folds = {0.8, 1.0}},
               {.candidate = "als", .folds = {2.0, std::nullopt}}}};
  return record;
}

json through_text(const FitRecord& record) { return json::parse(io::to_json(record).dump()); }

TEST(FitRecord, ComesBackFromJsonAsItWas) {
  const FitRecord record = full_record();
  const FitRecord back = io::read_fit_record(through_text(record));
  EXPECT_EQ(back.seed, record.seed);
  EXPECT_EQ(back.parts, record.parts);
  EXPECT_EQ(back.ranks, record.ranks);
  EXPECT_EQ(back.lambda, record.lambda);
  EXPECT_EQ(back.lambdas, record.lambdas);
  for (const FitRecord::Item& item : record.others) {
    ASSERT_NE(back.find(item.name), nullptr) << item.name;
    EXPECT_EQ(*back.find(item.name), item.value) << item.name;
  }
  EXPECT_EQ(through_text(back), through_text(record));
  EXPECT_EQ(back.run->held_out_mrr, 0.4);
  EXPECT_EQ(back.run->history[1].test_mrr, 0.3);
  EXPECT_EQ(back.run->tuning->rows[1].lambda, std::nullopt);
}

TEST(FitRecord, WholeNumbersHaveNoDecimalPoint) {
  const auto written = io::to_json(full_record());
  EXPECT_EQ(written["rank"].dump(), "[20,3]");
  EXPECT_EQ(written["lambdas"][1].dump(), "943");
}

TEST(FitRecord, RecordsOfOlderVersionsAreRead) {
  const FitRecord record = io::read_fit_record(json::parse(
      R"({"method":"tr-mm","parts":"1|2,3 ; 2|1,3","rank":[10,7],"lambda":10,"lambdas":[100.0,70.0],"seed":1,
          "max_iterations":200,"init":"spectral","path":1,
          "run":{"command":"lacuna fit x","train":{"path":"x","checksum":"c"},"threads":1,"seed":1,
                 "history":{"iteration":[0,1],"seconds":[0.1,0.2],"objective":[3.0,null],
                            "gradient_norm":[1.0,0.5],"train_rmse":[1.0,0.5],"test_rmse":[null,0.5],
                            "test_auc":[null,null]}}})"));
  EXPECT_EQ(record.ranks, (std::vector<int>{10, 7}));
  EXPECT_EQ(record.lambdas, (std::vector<double>{100, 70}));
  EXPECT_EQ(record.find("method"), nullptr);
  EXPECT_EQ(std::get<double>(*record.find("max_iterations")), 200);
  ASSERT_EQ(record.run->history.size(), 2U);
  EXPECT_TRUE(std::isnan(record.run->history[1].objective));
  EXPECT_EQ(record.run->history[1].test_rmse, 0.5);
  EXPECT_EQ(io::read_fit_record(json::parse(R"({"rank":"4,4,3"})")).ranks, (std::vector<int>{4, 4, 3}));
  EXPECT_EQ(io::read_fit_record(json::parse(R"({"rank":30})")).ranks, (std::vector<int>{30}));
  EXPECT_FALSE(io::read_fit_record(json::object()).run);
}

TEST(FitRecord, FieldsOfAnotherKindAreRefused) {
  for (const char* text :
       {"[]", "3", R"({"seed":-1})", R"({"seed":1.5})", R"({"rank":"x"})", R"({"rank":[1e300]})",
        R"({"lambda":"x"})", R"({"run":3})", R"({"run":{"command":5}})", R"({"run":{"picture":"yes"}})",
        R"({"run":{"threads":1e300}})", R"({"run":{"history":{"iteration":[0],"seconds":[]}}})",
        R"({"run":{"history":{"iteration":["x"]}}})", R"({"run":{"tuning":{"folds":"x"}}})"})
    EXPECT_ANY_THROW((void)io::read_fit_record(json::parse(text))) << text;
}

}  // namespace
}  // namespace lacuna
