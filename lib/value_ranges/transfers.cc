#include "lib/value_ranges/transfers.h"

#include <unordered_map>

#include "lib/base/check.h"
#include "lib/error/error.h"
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

const Table& Transfers() {
  static const Table table = MakeTable();
  return table;
}

}  // namespace

std::string_view AtenWord(std::string_view target) {
  constexpr std::string_view kAten = "torch.ops.aten.";
  if (!target.starts_with(kAten)) return {};
  target.remove_prefix(kAten.size());
  return target.substr(0, target.find('.'));
}

std::string_view AtenWord(const Schema& schema) {
  constexpr std::string_view kAten = "aten::";
  return schema.name.starts_with(kAten) ? schema.name.substr(kAten.size()) : std::string_view();
}

RangeTransfer FindRangeTransfer(std::string_view op) {
  const Table& table = Transfers();
  auto it = table.find(op);
  if (it == table.end() && op.ends_with('_') && !op.ends_with("__")) it = table.find(op.substr(0, op.size() - 1));
  return it == table.end() ? nullptr : it->second;
}

std::vector<std::string_view> OperatorsWithTransfer() {
  std::vector<std::string_view> ops;
  for (const auto& [op, transfer] : Transfers()) ops.push_back(op);
  return ops;
}

bool RunTransfer(RangeCall& call, RangeTransfer transfer, FindUses find_uses, std::vector<IndexUse>& uses) {
  try {
    if (find_uses) find_uses(call, uses);
    if (transfer) transfer(call);
    return transfer != nullptr;
  } catch (const OpError&) {  // beyond 64 bits: nothing is known
    call.ForgetResults();
    return false;
  }
}

}  // namespace fakeprop
