// SPDX-License-Identifier: MIT
// Result: a value or an error, never both.
#include <gtest/gtest.h>

#include <lacuna/base/base.hpp>
#include <memory>
#include <string>

namespace lacuna {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return input_error("list:3", "found an odd number, expected an even one");
  return number / 2;
}

TEST(Result, HoldsAValue) {
  Result<int> result = half(8);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(*result, 4);
  EXPECT_EQ(result.value(), 4);
  *result = 5;
  EXPECT_EQ(result.value(), 5);
  EXPECT_THROW((void)result.error(), std::bad_variant_access);
}

TEST(Result, HoldsAnError) {
  const Result<int> result = half(7);
  ASSERT_FALSE(result.ok());
  EXPECT_FALSE(static_cast<bool>(result));
  EXPECT_EQ(result.error().kind, ErrorKind::kInput);
  EXPECT_EQ(result.error().message(), "list:3: found an odd number, expected an even one");
  EXPECT_THROW((void)result.value(), std::bad_variant_access);
}

TEST(Result, MovesWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  ASSERT_TRUE(result.ok());
  const std::unique_ptr<int> owned = std::move(*result);
  EXPECT_EQ(*owned, 3);
}

TEST(Result, ReachesMembersThroughTheArrow) {
  Result<std::string> result = std::string("lacuna");
  EXPECT_EQ(result->size(), 6U);
  EXPECT_EQ(std::as_const(result)->front(), 'l');
}

TEST(Result, OfNothingSaysOnlyWhetherItWorked) {
  const Result<> good = Nothing{};
  const Result<> bad = output_error("model.lacuna", "the disk is full");
  EXPECT_TRUE(good.ok());
  EXPECT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().kind, ErrorKind::kOutput);
}

TEST(Error, MessageWithoutAPlaceIsTheSentenceAlone) {
  EXPECT_EQ(input_error("", "no entries").message(), "no entries");
  EXPECT_EQ(usage_error("--rank", "found 0, expected at least 1").message(),
            "--rank: found 0, expected at least 1");
}

TEST(Error, KindsAreTheDocumentedExitCodes) {
  EXPECT_EQ(static_cast<int>(ErrorKind::kInternal), 1);
  EXPECT_EQ(static_cast<int>(ErrorKind::kUsage), 2);
  EXPECT_EQ(static_cast<int>(ErrorKind::kInput), 3);
  EXPECT_EQ(static_cast<int>(ErrorKind::kMemory), 5);
  EXPECT_EQ(static_cast<int>(ErrorKind::kOutput), 6);
}

}  // namespace
}  // namespace lacuna
