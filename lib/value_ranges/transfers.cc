#include "lib/value_ranges/transfers.h"

#include <unordered_map>
#include <utility>

#include "lib/base/check.h"
#include "lib/error/error.h"
#include "lib/schema/functional_name.h"
#include "lib/value_ranges/index_verdict.h"
#include "lib/value_ranges/transfer_rows.h"

namespace fakeprop {
namespace {

using Table = std::unordered_map<std::string_view, OperatorRanges>;

Table MakeTable() {
  Table table;
  for (const auto& rows :
      {CreationTransfers(), ViewTransfers(), SelectionTransfers(), ArithmeticTransfers(), ReductionTransfers()})
    for (const TransferRow& row : rows) FAKEPROP_CHECK(!std::exchange(table[row.op].transfer, row.transfer));
  for (const auto& rows : {TableUses(), LengthUses()})
    for (const UseRow& row : rows) FAKEPROP_CHECK(!std::exchange(table[row.op].find_uses, row.find));
  return table;
}

const Table& Operators() {
  static const Table table = MakeTable();
  return table;
}

// The operator after which an in-place or a copying form is named; empty for other names.
std::string_view NamedAfter(std::string_view op) {
  if (const std::string_view functional = FunctionalName(op); functional != op) return functional;
  constexpr std::string_view kCopy = "_copy";
  return op.ends_with(kCopy) ? op.substr(0, op.size() - kCopy.size()) : std::string_view();
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

OperatorRanges FindOperatorRanges(std::string_view op) {
  for (; !op.empty(); op = NamedAfter(op))
    if (const auto it = Operators().find(op); it != Operators().end()) return it->second;
  return {};
}

std::vector<std::string_view> OperatorsWithRanges() {
  std::vector<std::string_view> ops;
  for (const auto& [op, known] : Operators()) ops.push_back(op);
  return ops;
}

bool RunTransfer(RangeCall& call, const OperatorRanges& known, std::vector<IndexUse>& uses) {
  try {
    if (known.find_uses) known.find_uses(call, uses);
    if (!known.transfer) return false;
    call.ForgetResults();
    known.transfer(call);
    return true;
  } catch (const OpError&) {  // beyond 64 bits: nothing is known
    return false;
  }
}

}  // namespace fakeprop
