#include "lib/value_ranges/transfers.h"

#include <unordered_map>

#include "lib/base/check.h"
#include "lib/value_ranges/transfer_rows.h"

namespace fakeprop {
namespace {

using Table = std::unordered_map<std::string_view, RangeTransfer>;

Table MakeTable() {
  Table table;
  for (const auto& rows :
      {CreationTransfers(), ViewTransfers(), SelectionTransfers(), ArithmeticTransfers(), ReductionTransfers()})
    for (const TransferRow& row : rows) FAKEPROP_CHECK(table.emplace(row.op, row.transfer).second);
  return table;
}

}  // namespace

RangeTransfer FindRangeTransfer(std::string_view op) {
  static const Table table = MakeTable();
  auto it = table.find(op);
  if (it == table.end() && op.ends_with('_') && !op.ends_with("__")) it = table.find(op.substr(0, op.size() - 1));
  return it == table.end() ? nullptr : it->second;
}

}  // namespace fakeprop
