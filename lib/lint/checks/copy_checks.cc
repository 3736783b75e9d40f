// Copies that nobody needs, and copies where a view was meant.
#include <algorithm>
#include <set>

#include "lib/base/byte_count.h"
#include "lib/diag/python_trace.h"
#include "lib/lint/checks/checks.h"

namespace fakeprop {
namespace {

bool IsExplicitCopy(const CheckedNode& node) {
  return node.Is({"clone", "contiguous", "to", "_to_copy", "float", "half", "type", "type_as", "cuda", "cpu"});
}

// Passes add copies of their own (a dropout outside of training becomes `clone`). Those are not the user's: their line
// does not name a copy.
bool IsWrittenByTheUser(const CheckedNode& node) {
  const std::vector<PythonFrame> frames = ParseStackTrace(node.node->stack_trace);
  const PythonFrame* frame = HeadlineFrame(frames);
  if (!frame || frame->source.empty()) return true;
  if (IsTorchFrame(*frame)) return false;
  for (const char* word : {"clone", "contiguous", ".to(", "copy", "type", ".float(", ".half(", ".cuda(", ".cpu("})
    if (frame->source.find(word) != std::string::npos) return true;
  return false;
}

bool IsSameMeta(const CheckedTensor& a, const CheckedTensor& b) {
  const auto is_same = [](const Dims& left, const Dims& right) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
        [](Dim x, Dim y) { return x.TryNumber() == y.TryNumber(); });
  };
  return a.is_known && b.is_known && a.meta.dtype == b.meta.dtype && a.meta.device == b.meta.device &&
         is_same(a.meta.sizes, b.meta.sizes) && is_same(a.meta.strides, b.meta.strides);
}

// The storages that something writes to, and those that leave the graph.
class StorageUses {
 public:
  explicit StorageUses(const CheckedGraph& graph) {
    for (const CheckedNode& node : graph.nodes()) {
      for (const int32_t input : node.written) AddAll(graph.at(input), written_);
      if (node.node->op != NodeOp::kOutput) continue;
      for (const int32_t input : node.inputs) AddAll(graph.at(input), returned_);
    }
  }
  bool IsWritten(const CheckedTensor& tensor) const { return written_.contains(tensor.storage()); }
  bool IsReturned(const CheckedTensor& tensor) const { return returned_.contains(tensor.storage()); }

 private:
  static void AddAll(const CheckedNode& node, std::set<const Storage*>& to) {
    for (const CheckedTensor& tensor : node.results) to.insert(tensor.storage());
  }
  std::set<const Storage*> written_, returned_;
};

// A node that copies one tensor: its input and its result.
struct Copy {
  const CheckedTensor* from = nullptr;
  const CheckedTensor* to = nullptr;
};

Copy CopyBy(const CheckedGraph& graph, const CheckedNode& node) {
  if (!node.IsCall() || node.results.size() != 1) return {};
  const std::vector<const CheckedTensor*> inputs = graph.InputTensors(node);
  if (inputs.empty() || !inputs[0]->is_known || !node.results[0].is_known || node.results[0].numel == 0) return {};
  if (!graph.MakesStorage(node, node.results[0])) return {};
  return {inputs[0], &node.results[0]};
}

bool IsCopyingReshape(const CheckedNode& node) {
  return node.Is({"reshape", "flatten", "contiguous", "unflatten", "ravel"});
}

// Nodes after the write that read the storage: neither the writers nor views that only writers use.
bool IsReadAfter(const CheckedGraph& graph, const Storage* storage, int32_t write) {
  for (int32_t i = write + 1; i < static_cast<int32_t>(graph.nodes().size()); ++i) {
    const CheckedNode& node = graph.at(i);
    for (const int32_t input : node.inputs) {
      const bool writes = std::find(node.written.begin(), node.written.end(), input) != node.written.end();
      const auto& results = graph.at(input).results;
      if (!writes && std::any_of(results.begin(), results.end(),
                         [&](const CheckedTensor& tensor) { return tensor.storage() == storage; }))
        return true;
    }
  }
  return false;
}

// The last node that writes to the storage; -1 if there is none.
int32_t LastWrite(const CheckedGraph& graph, const Storage* storage) {
  for (int32_t i = static_cast<int32_t>(graph.nodes().size()) - 1; i >= 0; --i)
    for (const int32_t input : graph.at(i).written)
      for (const CheckedTensor& tensor : graph.at(input).results)
        if (tensor.storage() == storage) return i;
  return -1;
}

}  // namespace

void CheckNeedlessCopy(const CheckedGraph& graph, const CheckSettings&, CheckReports& out) {
  const StorageUses uses(graph);
  for (int32_t i = 0; i < static_cast<int32_t>(graph.nodes().size()); ++i) {
    const CheckedNode& node = graph.at(i);
    if (!IsExplicitCopy(node) || !IsWrittenByTheUser(node)) continue;
    const Copy copy = CopyBy(graph, node);
    if (!copy.from || uses.IsWritten(*copy.from) || uses.IsWritten(*copy.to) || uses.IsReturned(*copy.to)) continue;
    const CheckedNode* user = node.users.size() == 1 ? &graph.at(node.users[0]) : nullptr;
    const bool is_copied_again = user && IsExplicitCopy(*user) && IsWrittenByTheUser(*user) &&
                                 CopyBy(graph, *user).from && copy.from->meta.dtype == copy.to->meta.dtype &&
                                 copy.from->meta.device == copy.to->meta.device;
    if (is_copied_again)
      out.push_back({i,
          "`" + node.op + "` copies " + BytesText(copy.to->bytes) + ", which " + graph.Name(node.users[0]) +
              " copies again",
          {"help: leave out the first copy"}, {}});
    else if (IsSameMeta(*copy.from, *copy.to))
      out.push_back({i,
          "`" + node.op + "` copies " + BytesText(copy.to->bytes) + " for nothing: " + ShapeText(*copy.to) +
              " stays as it is, and nothing writes to it",
          {"help: use " + graph.Name(node.inputs[0]) + " itself"}, {}});
  }
}

void CheckLostWrite(const CheckedGraph& graph, const CheckSettings&, CheckReports& out) {
  const StorageUses uses(graph);
  for (int32_t i = 0; i < static_cast<int32_t>(graph.nodes().size()); ++i) {
    const CheckedNode& node = graph.at(i);
    if (!IsCopyingReshape(node)) continue;
    const Copy copy = CopyBy(graph, node);
    if (!copy.from || !uses.IsWritten(*copy.to) || uses.IsReturned(*copy.to)) continue;
    const int32_t write = LastWrite(graph, copy.to->storage());
    if (IsReadAfter(graph, copy.to->storage(), write)) continue;
    out.push_back({write,
        "the write is lost: " + graph.Name(i) + " is a copy, since `" + node.op + "` could not make a view of " +
            ShapeText(*copy.from),
        {"help: write to " + graph.Name(node.inputs[0]) + " itself, or use `view`, which fails where it would copy"},
        {}});
  }
}

void CheckCopyingReshape(const CheckedGraph& graph, const CheckSettings&, CheckReports& out) {
  for (int32_t i = 0; i < static_cast<int32_t>(graph.nodes().size()); ++i) {
    const CheckedNode& node = graph.at(i);
    if (!node.Is({"reshape", "flatten"})) continue;
    const Copy copy = CopyBy(graph, node);
    if (!copy.from) continue;
    out.push_back({i,
        "`" + node.op + "` copies " + BytesText(copy.to->bytes) + ": " + ShapeText(*copy.from) + " with strides " +
            ToString(copy.from->tensor->meta.stride_span()) + " has no view as " + ShapeText(*copy.to),
        {"help: `view` fails where it would copy; a permuted tensor has to be copied, so permute later or not at all"},
        {}});
  }
}

}  // namespace fakeprop
