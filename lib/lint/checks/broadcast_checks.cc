// Sizes that broadcasting makes: shapes that nobody meant, and more memory than anybody expects.
#include <algorithm>

#include "lib/annotations/summary.h"
#include "lib/base/byte_count.h"
#include "lib/lint/checks/checks.h"
#include "lib/lint/replay.h"

namespace fakeprop {
namespace {

int64_t SizeAt(const CheckedTensor& tensor, int64_t dim) { return *tensor.meta.sizes[dim].TryNumber(); }

// The sizes are [..., N] and [..., N, 1] with the same numbers, N > 1.
bool IsColumnOf(const CheckedTensor& row, const CheckedTensor& column) {
  const int64_t rank = row.meta.rank();
  if (!row.is_known || !column.is_known || rank == 0 || column.meta.rank() != rank + 1) return false;
  if (SizeAt(column, rank) != 1 || SizeAt(row, rank - 1) == 1) return false;
  for (int64_t i = 0; i < rank; ++i)
    if (SizeAt(row, i) != SizeAt(column, i)) return false;
  return true;
}

// The user wrote the dimension of size 1: `y.unsqueeze(1)`, `y[:, None]`, `y.view(-1, 1)`.
bool IsMeant(const CheckedNode& made) {
  return made.Is({"unsqueeze", "unsqueeze_", "view", "reshape", "expand", "getitem", "index", "slice", "meshgrid"});
}

bool IsLoss(const CheckedNode& node) {
  return node.op.ends_with("_loss") || node.op.ends_with("loss") || node.op == "binary_cross_entropy";
}

bool IsArithmetic(const CheckedNode& node) {
  return node.Is({"add", "sub", "mul", "div", "truediv", "add_", "sub_", "mul_", "div_", "true_divide", "divide",
      "subtract", "multiply", "rsub", "pow", "atan2", "maximum", "minimum", "hypot", "broadcast_tensors"});
}

bool IsFloating(const CheckedTensor& tensor) { return IsFloat(tensor.meta.dtype); }

// Whether the result has the shape to which all tensors broadcast, and storage of its own.
bool IsBroadcast(const CheckedTensor& result, const std::vector<const CheckedTensor*>& inputs) {
  std::vector<int64_t> sizes;  // from the last dimension on
  for (const CheckedTensor* input : inputs) {
    const int64_t rank = input->meta.rank();
    if (!input->is_known) return false;
    sizes.resize(std::max<size_t>(sizes.size(), rank), 1);
    for (int64_t i = 0; i < rank; ++i) {
      const int64_t size = SizeAt(*input, rank - 1 - i);
      if (size != 1 && sizes[i] != 1 && sizes[i] != size) return false;
      if (size != 1) sizes[i] = size;
    }
  }
  if (!result.is_known || result.meta.rank() != static_cast<int64_t>(sizes.size())) return false;
  for (size_t i = 0; i < sizes.size(); ++i)
    if (SizeAt(result, result.meta.rank() - 1 - i) != sizes[i]) return false;
  return true;
}

}  // namespace

void CheckSilentBroadcast(const CheckedGraph& graph, const CheckSettings&, CheckReports& out) {
  for (int32_t i = 0; i < static_cast<int32_t>(graph.nodes().size()); ++i) {
    const CheckedNode& node = graph.at(i);
    if (!node.IsCall() || node.inputs.size() < 2 || !(IsLoss(node) || IsArithmetic(node))) continue;
    for (const int32_t a : {node.inputs[0], node.inputs[1]}) {
      const int32_t b = a == node.inputs[0] ? node.inputs[1] : node.inputs[0];
      if (graph.at(a).results.size() != 1 || graph.at(b).results.size() != 1) continue;
      const CheckedTensor &row = graph.at(a).results[0], &column = graph.at(b).results[0];
      if (!IsColumnOf(row, column) || IsMeant(graph.at(b)) || !(IsFloating(row) || IsFloating(column))) continue;
      const std::string made = IsLoss(node) ? " in the loss" : "";
      out.push_back(
          {i, ShapeText(row) + " and " + ShapeText(column) + " broadcast" + made + ": every element meets every other",
              {"help: `" + graph.at(b).node->name + ".squeeze(-1)` makes it an operation of element with element; " +
                  "`" + graph.at(a).node->name + ".unsqueeze(-1)` does too"},
              {}});
    }
  }
}

void CheckBroadcastBlowUp(const CheckedGraph& graph, const CheckSettings& settings, CheckReports& out) {
  for (int32_t i = 0; i < static_cast<int32_t>(graph.nodes().size()); ++i) {
    const CheckedNode& node = graph.at(i);
    if (!node.IsCall() || node.results.size() != 1) continue;
    const std::vector<const CheckedTensor*> inputs = graph.InputTensors(node);
    const CheckedTensor& result = node.results[0];
    if (inputs.size() < 2 || result.bytes < settings.broadcast_bytes) continue;
    int64_t largest = 1;
    for (const CheckedTensor* input : inputs) largest = std::max(largest, input->numel);
    if (result.numel / largest < settings.broadcast_factor) continue;
    if (!IsBroadcast(result, inputs) || !graph.MakesStorage(node, result)) continue;
    out.push_back({i,
        "broadcasting makes " + ShapeText(result) + ", " + BytesText(result.bytes) + ": " +
            std::to_string(result.numel / largest) + " times its largest operand",
        {"help: reduce before the broadcast, or use an operator that does both, such as `matmul`, `einsum` or `cdist`"},
        {}});
  }
}

// The largest one is the finding; those of a larger batch are all too large.
void CheckLargeIntermediate(const CheckedGraph& graph, const CheckSettings& settings, CheckReports& out) {
  CheckReport report;
  int64_t largest = settings.intermediate_bytes;
  for (int32_t i = 0; i < static_cast<int32_t>(graph.nodes().size()); ++i) {
    const CheckedNode& node = graph.at(i);
    if (!node.IsCall() || IsGetitem(*node.node)) continue;
    for (const CheckedTensor& result : node.results) {
      if (result.bytes <= settings.intermediate_bytes || !graph.MakesStorage(node, result)) continue;
      if (result.bytes > largest) {
        if (largest > settings.intermediate_bytes) report.others.push_back(report.node);
        largest = result.bytes;
        report.node = i;
        report.message = "an intermediate of " + BytesText(result.bytes) + ", " + ShapeText(result) + ": at most " +
                         BytesText(settings.intermediate_bytes) + " is allowed";
      } else if (report.others.empty() || report.others.back() != i) {
        report.others.push_back(i);
      }
    }
  }
  if (report.message.empty()) return;
  report.notes = {
      "help: a smaller batch, a loop over parts, or an operator that never holds it whole; "
      "`intermediate-bytes` of fakeprop.toml sets the limit"};
  out.push_back(std::move(report));
}

}  // namespace fakeprop
