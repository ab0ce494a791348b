// SPDX-License-Identifier: MIT
#include "method/links/readout.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace lacuna {
namespace {

// On the coefficients, in units of an observation: without it scores that separate all cells have no best ones.
constexpr double kRidge = 1e-2;
constexpr int kNewtonSteps = 50;
constexpr double kSettled = 1e-9;
constexpr std::size_t kLeast = 10;  // cells, for anything to be said

void add_link(const ComplEx& x, Index head, Index relation, Index tail, double label, double weight,
              ScoredLinks& links) {
  links.score.push_back(link_score(x, head, relation, tail - x.tails_from));
  links.label.push_back(label);
  links.weight.push_back(weight);
}

// c . (1, f, g) by Newton's method; without g where it does not count.
Eigen::Vector3d regress(const ScoredLinks& links, bool both, bool their_mean) {
  const auto features = [&](const LinkScore& score) {
    if (their_mean) return Eigen::Vector3d(1.0, 0.5 * (score.forward + score.backward), 0.0);
    return Eigen::Vector3d(1.0, score.forward, both ? score.backward : 0.0);
  };
  Eigen::Vector3d c = Eigen::Vector3d::Zero();
  for (int step = 0; step < kNewtonSteps; ++step) {
    Eigen::Vector3d gradient = kRidge * c;
    Eigen::Matrix3d hessian = kRidge * Eigen::Matrix3d::Identity();
    for (std::size_t i = 0; i < links.score.size(); ++i) {
      const Eigen::Vector3d v = features(links.score[i]);
      const double p = 1.0 / (1.0 + std::exp(-c.dot(v)));
      gradient += links.weight[i] * (p - links.label[i]) * v;
      hessian += links.weight[i] * std::max(p * (1.0 - p), 1e-6) * v * v.transpose();
    }
    Eigen::Vector3d move = hessian.ldlt().solve(gradient);
    if (!move.allFinite()) break;
    const double length = move.norm();
    if (length > 5.0) move *= 5.0 / length;  // far from the optimum the quadratic model says little
    c -= move;
    if (length < kSettled) break;
  }
  return c;
}

}  // namespace

ScoredLinks score_links(const ComplEx& x, const LinkEntries& entries, const LinkEntries& known, Rng& rng) {
  ScoredLinks links;
  const bool facts_only =
      std::none_of(entries.label.begin(), entries.label.end(), [](float label) { return label == 0.0F; });
  for (Count e = 0; e < entries.size(); ++e)
    add_link(x, entries.head[e], entries.relation[e], entries.tail[e], entries.label[e], entries.weight[e],
             links);
  if (!facts_only) return links;
  const LinkQuestions facts = link_questions(known, false, x.relation_count());
  constexpr int kForEach = 2;  // one of another tail, one of another head, which count half each
  const LinkEntries both = with_corrupted(entries, facts, x, kForEach, rng);
  for (Count e = entries.size(); e < both.size(); ++e)
    add_link(x, both.head[e], both.relation[e], both.tail[e], 0.0, 0.5 * both.weight[e], links);
  return links;
}

void calibrate(const ScoredLinks& links, bool both, ComplEx& x) {
  const auto facts = std::count(links.label.begin(), links.label.end(), 1.0);
  const auto count = static_cast<std::ptrdiff_t>(links.label.size());
  if (links.label.size() < kLeast || facts == 0 || facts == count) return;
  Eigen::Vector3d c = regress(links, both, false);
  if (both && (c[1] < 0.0 || c[2] < 0.0)) {
    c = regress(links, true, true);
    c[1] *= 0.5;
    c[2] = c[1];
  }
  if (!c.allFinite() || c[1] <= 0.0) return;  // the scores say nothing: leave the order they give
  x.constant = c[0];
  x.forward = c[1];
  x.backward = both ? c[2] : 0.0;
}

}  // namespace lacuna
