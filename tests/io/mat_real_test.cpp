// SPDX-License-Identifier: MIT
// MATLAB files that people have, where the folder of data is there.
#include <cstdlib>

#include "array_files.hpp"

namespace lacuna {
namespace {

using namespace array_test;

// Files people have, where they are at hand.
class RealMat : public ArrayFiles {
 protected:
  // Empty when it is not there.
  static std::string find(const std::string& name) {
    const char* const chosen = std::getenv("LACUNA_DATA");
    const auto root = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
    const auto path =
        (chosen != nullptr ? std::filesystem::path(chosen) : root / ".." / "shared" / "data") / name;
    return std::filesystem::exists(path) ? path.string() : std::string();
  }
};

TEST_F(RealMat, MovielensRatings) {
  const std::string path = find("movielens-1m/movielens-1m-tensor.mat");
  if (path.empty())
    GTEST_SKIP() << "no movielens-1m/movielens-1m-tensor.mat in LACUNA_DATA or ../shared/data";
  ReadOptions options;
  options.variable = "data.Y";
  options.table_indices = true;
  const TensorFile file = read_fine(path, options);
  EXPECT_EQ(shape_of(file), (std::vector<Index>{6040, 3952, 149}));
  EXPECT_EQ(file.entries.size(), 1000209);
  EXPECT_EQ(file.index_base, 1);
  EXPECT_EQ(file.entries.cells[1].front(), 1192U);
  EXPECT_EQ(file.entries.value.front(), 5);
}

TEST_F(RealMat, MultispectralPicture) {
  const std::string path = find("msi-cave/testMSI_2.mat");
  if (path.empty()) GTEST_SKIP() << "no msi-cave/testMSI_2.mat in LACUNA_DATA or ../shared/data";
  const TensorFile file = read_fine(path);
  EXPECT_EQ(shape_of(file), (std::vector<Index>{256, 256, 31}));
  EXPECT_EQ(file.layout.variable, "Omsi");
}

TEST_F(RealMat, TrafficTensor) {
  const std::string path = find("traffic-hangzhou/Hangzhou-tensor.mat");
  if (path.empty())
    GTEST_SKIP() << "no traffic-hangzhou/Hangzhou-tensor.mat in LACUNA_DATA or ../shared/data";
  const TensorFile file = read_fine(path);
  EXPECT_EQ(shape_of(file), (std::vector<Index>{80, 25, 108}));
  EXPECT_EQ(file.missing, 0);
}

}  // namespace
}  // namespace lacuna
