#include "lib/contract/contract_report.h"

#include "lib/annotations/symbols_json.h"
#include "lib/base/utf8.h"
#include "lib/contract/contract_code.h"
#include "lib/json/json_writer.h"
#include "lib/meta/dtype.h"

namespace fakeprop {
namespace {

std::string_view NameOfSource(ContractDemand::Source source) {
  switch (source) {
    case ContractDemand::Source::kDeclared: return "declared";
    case ContractDemand::Source::kGraph: return "graph";
    case ContractDemand::Source::kStated: return "model";
    case ContractDemand::Source::kGuard: return "guard";
  }
  return "";
}

std::string PointText(const SymbolValues& point) {
  std::string text;
  for (const auto& [name, value] : point) text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  return text;
}

std::string InputText(const ContractInput& input) {
  const std::string name = input.path.empty() ? input.name : input.path;
  if (input.is_tensor)
    return name + ": " + std::string(DtypeName(input.meta.dtype)) + ToString(input.meta.size_span()) + " on " +
           input.meta.device.str();
  return name + ": " + (input.number ? "the integer " + input.number->ToString() : input.fixed);
}

std::string SymbolText(const SymbolDomain& symbol, const std::string& source) {
  return symbol.name + " " + InWords(symbol.range) +
         (symbol.multiple > 1 ? ", a multiple of " + std::to_string(symbol.multiple) : "") +
         (source.empty() ? "" : "     " + source);
}

std::string DemandText(const ContractDemand& demand) {
  std::string text = ToString(demand.condition);
  if (demand.source == ContractDemand::Source::kGraph) text += "     the exported program demands it";
  if (!demand.place.node.empty()) text += "     node `" + std::string(demand.place.node) + "`";
  if (!demand.failure.empty()) text += "\n    with " + PointText(demand.violated_by) + " " + demand.failure;
  else if (demand.violated_by.empty()) text += "\n    it is not known whether it follows from the others";
  else if (demand.source == ContractDemand::Source::kGuard) text += "\n    no sizes were found that fail without it";
  return text;
}

class ContractJsonWriter {
 public:
  ContractJsonWriter(const Contract& contract, const std::string& source) : contract_(contract), source_(source) {}

  std::string Write() {
    json_.BeginObject();
    json_.KeyOnLine("format").String("fakeprop.contract/1");
    json_.KeyOnLine("graph").String(source_);
    WriteSymbols();
    json_.KeyOnLine("inputs").Array(contract_.inputs, [&](const ContractInput& input) { WriteInput(input); });
    json_.KeyOnLine("demands").Array(
        contract_.demands, [&](const ContractDemand& demand) { json_.String(ToString(demand.condition)); });
    json_.KeyOnLine("reasons").Array(contract_.demands, [&](const ContractDemand& demand) { WriteReason(demand); });
    json_.KeyOnLine("implied").Int(static_cast<int64_t>(contract_.implied));
    json_.KeyOnLine("unneeded").Int(static_cast<int64_t>(contract_.unneeded));
    if (contract_.limit) json_.KeyOnLine("limit").Int(*contract_.limit);
    if (!contract_.values.demands.empty())
      json_.KeyOnLine("values").Array(
          contract_.values.demands, [&](const ValueDemand& demand) { WriteDemand(demand, json_); });
    json_.KeyOnLine("on_data").Array(contract_.on_data, [&](const GuardRecord& guard) { WriteGuard(guard, json_); });
    WriteTexts(json_.KeyOnLine("unread"), contract_.unread);
    WriteTexts(json_.KeyOnLine("unchecked"), UncheckedDemands(contract_));
    json_.NewLine(0);
    json_.EndObject();
    return json_.Take() + "\n";
  }

 private:
  void WriteTexts(JsonWriter& json, const std::vector<std::string>& texts) {
    json.Array(texts, [&](const std::string& text) { json.String(text); });
  }

  void WriteSymbols() {
    json_.KeyOnLine("symbols").BeginObject();
    for (size_t i = 0; i < contract_.domain.symbols.size(); ++i) {
      const SymbolDomain& symbol = contract_.domain.symbols[i];
      json_.NewLine(4);
      json_.KeyOf(symbol.name).BeginObject();
      if (symbol.range.low != Range::kNoLow) json_.Key("min").Int(symbol.range.low);
      if (symbol.range.high != Range::kNoHigh) json_.Key("max").Int(symbol.range.high);
      if (symbol.multiple > 1) json_.Key("multiple_of").Int(symbol.multiple);
      json_.Key("source").String(contract_.sources[i]);
      json_.EndObject();
    }
    json_.EndObject();
  }

  void WriteDim(Dim dim) {
    if (const std::optional<int64_t> number = dim.TryNumber()) json_.Int(*number);
    else json_.String(dim.ToString());
  }

  void WriteInput(const ContractInput& input) {
    json_.NewLine(4);
    json_.BeginObject();
    json_.Key("name").String(input.name);
    if (!input.path.empty()) json_.Key("path").String(input.path);
    if (input.is_tensor) {
      json_.Key("dtype").String(DtypeName(input.meta.dtype));
      json_.Key("device").String(input.meta.device.str());
      json_.Key("shape").Array(input.meta.size_span(), [&](Dim size) { WriteDim(size); });
      json_.Key("stride").Array(input.meta.stride_span(), [&](Dim stride) { WriteDim(stride); });
    } else if (input.number) {
      json_.Key("integer");
      WriteDim(*input.number);
    } else {
      json_.Key("fixed").String(input.fixed);
    }
    json_.EndObject();
  }

  void WriteReason(const ContractDemand& demand) {
    json_.NewLine(4);
    json_.BeginObject();
    json_.Key("source").String(NameOfSource(demand.source));
    if (!demand.place.node.empty()) json_.Key("node").String(demand.place.node);
    json_.Key("independent").String(demand.violated_by.empty() ? "unknown" : "proved");
    if (!demand.violated_by.empty()) {
      json_.Key("violated_by").BeginObject();
      for (const auto& [name, value] : demand.violated_by) json_.KeyOf(name).Int(value);
      json_.EndObject();
    }
    if (!demand.failure.empty()) json_.Key("failure").String(demand.failure);
    json_.EndObject();
  }

  const Contract& contract_;
  const std::string& source_;
  JsonWriter json_;
};

}  // namespace

std::string ContractText(const Contract& contract, const std::string& source) {
  std::string text = "inputs of " + source + "\n";
  for (const ContractInput& input : contract.inputs) text += "  " + InputText(input) + "\n";
  if (!contract.domain.symbols.empty()) text += "sizes\n";
  for (size_t i = 0; i < contract.domain.symbols.size(); ++i)
    text += "  " + SymbolText(contract.domain.symbols[i], contract.sources[i]) + "\n";
  if (!contract.demands.empty()) text += "demands\n";
  for (const ContractDemand& demand : contract.demands) text += "  " + DemandText(demand) + "\n";
  if (!contract.values.demands.empty()) text += "elements of inputs\n";
  for (const ValueDemand& demand : contract.values.demands)
    text += "  " + DemandText(demand) + "     node `" + demand.node + "`\n";
  if (!contract.on_data.empty()) text += "demands on data, which only a run can check\n";
  for (const GuardRecord& guard : contract.on_data)
    text += "  " + ToString(guard.expression) + "     node `" + std::string(guard.place.node) + "`\n";
  if (!contract.unread.empty()) text += "guards of the graph that are not understood\n";
  for (const std::string& guard : contract.unread) text += "  " + guard + "\n";
  std::string shown;
  for (size_t start = 0; start < text.size();) {
    const size_t end = text.find('\n', start);
    shown += Printable(text.substr(start, end - start)) + "\n";
    start = end + 1;
  }
  return shown;
}

std::string ContractJson(const Contract& contract, const std::string& source) {
  return ContractJsonWriter(contract, source).Write();
}

}  // namespace fakeprop
