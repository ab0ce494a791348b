// SPDX-License-Identifier: MIT
// Methods see values whose root mean square is between 1 and 4, whatever the user's unit is: products of
// four or more values, as certificates and Gram matrices of Gram matrices have them, overflow beyond 1e77 and
// vanish below 1e-81. The factor is a power of four, so no digit changes on the way in or out, not even those
// of a square root, and every method gives bit for bit the same answer for values 4^k times as large.
//
// What comes back in the user's unit, values being 2^e of ours:
//
//   predictions, offsets, a Tucker core, a dense body, Z, a factored part's right factor     2^e
//   train and test RMSE                                                                      2^e
//   squared misfits, bounds of a certificate, variances                                      2^(2 e)
//   the precision of a CP model's noise                                                      2^(-2 e)
//   objective and gradient norm                                                              as UnitPowers says
//
// Factors U_p, lambdas, ratios, gaps, mixtures and -log evidence have no unit. A CP model's factors share
// 2^e, each a power of two.
#pragma once

#include <lacuna/method/settings.hpp>
#include <lacuna/model/model.hpp>
#include <lacuna/problem/certificate.hpp>
#include <lacuna/tensor/tensor.hpp>

#include "dist/communicator.hpp"

namespace lacuna {

// How a method's objective and the norm of its gradient grow with the values: as this power of them.
struct UnitPowers {
  int objective = 0;
  int gradient = 0;
};
[[nodiscard]] UnitPowers unit_powers(Method method);

class UnitScale {
 public:
  UnitScale() = default;  // the unit is the user's
  // Throws ValueRangeError, naming the value, when the values' squares have no sum that is a normal number
  // with some room on either side: their errors could not be told.
  explicit UnitScale(const ObservedTensor& tensor, const Communicator& everyone = serial_communicator());

  [[nodiscard]] int exponent() const { return exponent_; }
  // From the user's unit into ours, and back; of a value to some power.
  [[nodiscard]] double scaled(double value) const;
  [[nodiscard]] double restored(double value, int power = 1) const;
  void scale(ObservedTensor& tensor) const;
  [[nodiscard]] Model scaled(Model model) const;
  // Throw ValueRangeError when a number of it is not finite.
  void restore(Model& model) const;
  void restore(Certificate& certificate) const;

 private:
  int exponent_ = 0;
};

}  // namespace lacuna
