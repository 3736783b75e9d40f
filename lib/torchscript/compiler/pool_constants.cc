// Source: torch/csrc/jit/passes/constant_pooling.cpp, and attributesEqualCSE of node_hashing.cpp (torch 2.15).
#include <bit>
#include <cmath>
#include <unordered_map>

#include "lib/torchscript/compiler/passes.h"
#include "lib/torchscript/compiler/same_value.h"

namespace fakeprop::script {
namespace {

// The bits of a number; those of zero for both zeros.
std::string Bits(double number) {
  if (std::isnan(number)) return "nan";
  return "f" + std::to_string(std::bit_cast<uint64_t>(number == 0 ? 0.0 : number));
}

std::string TextOfList(const List& list) {
  std::string text = list.is_tuple ? "(" : "[";
  for (const Value& item : list.items) text += TextForComparison(item) + ",";
  return text;
}

// What only equal constants share.
std::string KeyOf(const IrNode& node) {
  std::string key = std::to_string(std::bit_cast<uintptr_t>(node.output()->type)) + ":";
  key += node.name + ":" + std::to_string(node.constant.archive_number) + ":";
  return key + TextForComparison(node.constant.value);
}

class Pooling {
 public:
  void Pool(IrBlock& block, const IrBlock& whole) {
    ForEachNode(block, [&](IrNode& node) {
      for (const auto& inner : node.blocks) Pool(*inner, whole);
      if (!node.Is("prim::Constant")) return;
      const std::string key = KeyOf(node);
      auto [it, is_new] = known_.try_emplace(key, &node);
      if (!is_new && key.find("nan") == std::string::npos) {
        ReplaceUses(*node.output(), it->second->output());
        node.Destroy();
      } else if (&node != whole.first()) {
        node.MoveBefore(whole.first());
      }
    });
  }

 private:
  std::unordered_map<std::string, IrNode*> known_;
};

}  // namespace

std::string TextForComparison(const Value& value) {
  if (value.IsNone()) return "n";
  if (auto* text = value.TryGet<std::string>()) return "s" + std::to_string(text->size()) + "'" + *text;
  if (auto* number = value.TryGet<double>()) return Bits(*number);
  if (auto* number = value.TryGet<std::complex<double>>())
    return "c" + Bits(number->real()) + "/" + Bits(number->imag());
  if (auto* flag = value.TryGet<bool>()) return *flag ? "t" : "b";
  if (auto* list = value.TryList()) return TextOfList(*list);
  // Values of enums never count as equal here.
  if (value.Is<Opaque>()) return "nan";
  return "v" + ToString(value);
}

void PoolConstants(IrGraph& graph) { Pooling().Pool(*graph.block(), *graph.block()); }

}  // namespace fakeprop::script
