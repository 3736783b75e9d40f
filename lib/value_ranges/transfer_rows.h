// The rows of the table in transfers.h, by subject.
#pragma once

#include <span>

#include "lib/value_ranges/transfers.h"

namespace fakeprop {

struct TransferRow {
  std::string_view op;
  RangeTransfer transfer;
};

std::span<const TransferRow> CreationTransfers();
std::span<const TransferRow> ViewTransfers();
std::span<const TransferRow> SelectionTransfers();
std::span<const TransferRow> ArithmeticTransfers();
std::span<const TransferRow> ReductionTransfers();

}  // namespace fakeprop
