#include "lib/contract/contract_code.h"

#include "lib/base/version.h"
#include "lib/contract/code_runtime.h"
#include "lib/contract/condition_code.h"
#include "lib/meta/dtype.h"

namespace fakeprop {
namespace {

// A size of an input, or an input that is an integer.
struct GivenSize {
  size_t input;
  int dimension;  // -1 for an integer
  Dim size;
  bool defines = false;  // a symbol gets its value here
};

// Writes the lines of a function that checks inputs. Statements are the same in both languages, up to spelling.
class CheckWriter {
 public:
  CheckWriter(const Contract& contract, CodeLanguage language) : contract_(contract), language_(language) {
    for (size_t i = 0; i < contract.inputs.size(); ++i) AddSlots(i);
  }

  std::string Write() {
    for (size_t i = 0; i < contract_.inputs.size(); ++i) AddInput(i);
    if (language_ == CodeLanguage::kCpp) Line("if (!c.ready()) return c.done()");
    else lines_ += "    if not c.ready():\n        return c.done()\n";
    if (!contract_.domain.symbols.empty()) AddSymbols();
    for (const GivenSize& slot : slots_)
      if (!slot.defines) AddSize(slot);
    for (size_t i = 0; i < contract_.domain.symbols.size(); ++i) AddBounds(i);
    for (const ContractDemand& demand : contract_.demands) AddDemand(demand);
    for (const ValueDemand& demand : contract_.values.demands)
      unchecked_.push_back("the elements of " + DemandText(demand));
    Line("return c.done()");
    return std::move(lines_);
  }

  const std::vector<std::string>& unchecked() const { return unchecked_; }

 private:
  void AddSlots(size_t input) {
    const ContractInput& given = contract_.inputs[input];
    if (given.number) slots_.push_back({input, -1, *given.number});
    if (!given.is_tensor) return;
    for (size_t d = 0; d < given.meta.sizes.size(); ++d)
      slots_.push_back({input, static_cast<int>(d), given.meta.sizes[d]});
  }

  void Line(const std::string& text) {
    lines_ += language_ == CodeLanguage::kCpp ? "  " + text + ";\n" : "    " + text + "\n";
  }
  std::string Quoted(std::string_view text) const { return CodeLiteral(language_, text); }
  std::string Lazy(const std::string& text) const { return language_ == CodeLanguage::kCpp ? text : "lambda: " + text; }

  static std::string NameOf(const ContractInput& input) { return input.path.empty() ? input.name : input.path; }

  void AddInput(size_t i) {
    const ContractInput& input = contract_.inputs[i];
    const std::string what = std::to_string(i) + ", " + Quoted("input " + NameOf(input));
    if (input.is_tensor)
      Line("c.tensor(" + what + ", " + Quoted(DtypeName(input.meta.dtype)) + ", " + Quoted(input.meta.device.str()) +
           ", " + std::to_string(input.meta.sizes.size()) + ")");
    else if (input.number) Line("c.integer(" + what + ")");
    else Line("c.other(" + what + ", " + Quoted(input.fixed) + ")");
  }

  std::string ValueOf(const GivenSize& slot) const {
    const std::string input = std::to_string(slot.input);
    return slot.dimension < 0 ? "c.value(" + input + ")"
                              : "c.size(" + input + ", " + std::to_string(slot.dimension) + ")";
  }
  std::string WhatIs(const GivenSize& slot) const {
    const std::string name = NameOf(contract_.inputs[slot.input]);
    return slot.dimension < 0 ? "input " + name : "size " + std::to_string(slot.dimension) + " of input " + name;
  }

  // ---- symbols
  void AddSymbols() {
    const std::string count = std::to_string(contract_.domain.symbols.size());
    Line(language_ == CodeLanguage::kCpp ? "std::vector<Int> s(" + count + ")" : "s = [0] * " + count);
    for (GivenSize& slot : slots_)
      if (slot.size.IsSymbolic() && slot.size.Expression()->op == SymOp::kSymbol) Define(slot);
    // One symbol may need another.
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      for (GivenSize& slot : slots_)
        if (!slot.defines && slot.size.IsSymbolic()) goes_on |= Solve(slot);
    }
  }

  // Returns the position of a symbol of the contract; nothing for others.
  std::optional<size_t> PositionOf(const std::string& name) const {
    for (size_t i = 0; i < contract_.domain.symbols.size(); ++i)
      if (contract_.domain.symbols[i].name == name) return i;
    return std::nullopt;
  }

  void Define(GivenSize& slot) {
    const std::string& name = slot.size.Expression()->name;
    const std::optional<size_t> position = PositionOf(name);
    if (!position || !solved_.emplace(name, *position).second) return;
    Line("s[" + std::to_string(*position) + "] = " + ValueOf(slot));
    slot.defines = true;
  }

  // A sum with one symbol that has no value yet, times a number.
  bool Solve(GivenSize& slot) {
    Sym sum = slot.size.Expression();
    if (sum->op != SymOp::kSum) return false;
    std::string rest = CodeInteger(language_, sum->integer);
    std::optional<size_t> unknown;
    for (size_t i = 0; i < sum->arguments.size(); ++i) {
      if (const auto term = CodeOf(language_, sum->arguments[i], solved_)) {
        rest += " + " + CodeInteger(language_, sum->coefficients[i]) + " * " + *term;
        continue;
      }
      if (unknown || sum->arguments[i]->op != SymOp::kSymbol) return false;
      unknown = i;
    }
    if (!unknown) return false;
    const std::string& name = sum->arguments[*unknown]->name;
    const std::optional<size_t> position = PositionOf(name);
    if (!position) return false;
    Line("s[" + std::to_string(*position) + "] = c.quotient(" + ValueOf(slot) + " - (" + rest + "), " +
         CodeInteger(language_, sum->coefficients[*unknown]) + ", " + Quoted(WhatIs(slot)) + ", " +
         Quoted(ToString(sum)) + ")");
    slot.defines = solved_.emplace(name, *position).second;
    return slot.defines;
  }

  // ---- demands
  void AddSize(const GivenSize& slot) {
    const std::optional<std::string> wanted = slot.size.IsSymbolic()
                                                  ? CodeOf(language_, slot.size.Expression(), solved_)
                                                  : CodeInteger(language_, *slot.size.TryNumber());
    if (!wanted) return unchecked_.push_back(WhatIs(slot) + " is " + slot.size.ToString());
    Line("c.has_to_be(" + ValueOf(slot) + ", " + Lazy(*wanted) + ", " + Quoted(WhatIs(slot)) + ", " +
         Quoted(slot.size.ToString()) + ")");
  }

  std::string WhatIsSymbol(size_t i) const {
    const std::string& source = contract_.sources[i];
    return contract_.domain.symbols[i].name + (source.empty() ? "" : " (" + source + ")");
  }

  void AddBounds(size_t i) {
    const SymbolDomain& symbol = contract_.domain.symbols[i];
    const std::string size = "s[" + std::to_string(i) + "]", what = Quoted(WhatIsSymbol(i));
    if (!solved_.contains(symbol.name)) return unchecked_.push_back("the range of " + WhatIsSymbol(i));
    const auto bound = [&](const char* check, int64_t number) {
      Line("c." + std::string(check) + "(" + size + ", " + std::to_string(number) + ", " + what + ")");
    };
    if (symbol.range.low != Range::kNoLow) bound("at_least", symbol.range.low);
    if (symbol.range.high != Range::kNoHigh) bound("at_most", symbol.range.high);
    if (symbol.multiple > 1) bound("multiple_of", symbol.multiple);
  }

  void AddDemand(const ContractDemand& demand) {
    const std::string text = ToString(demand.condition);
    const std::optional<std::string> code = CodeOf(language_, demand.condition, solved_);
    if (!code) return unchecked_.push_back(text);
    const bool is_cpp = language_ == CodeLanguage::kCpp;
    std::string sizes;
    for (const std::string& name : SymbolsIn(demand.condition)) {
      const size_t i = solved_.at(name);
      sizes += (sizes.empty() ? "" : ", ") + std::string(is_cpp ? "{" : "(") + Quoted(WhatIsSymbol(i)) + ", s[" +
               std::to_string(i) + "]" + (is_cpp ? "}" : ")");
    }
    Line("c.demand(" + Lazy(*code) + ", " + Quoted(text) + ", " + (is_cpp ? "{" : "[") + sizes + (is_cpp ? "}" : "]") +
         ")");
  }

  const Contract& contract_;
  const CodeLanguage language_;
  std::vector<GivenSize> slots_;
  std::map<std::string, size_t> solved_;  // symbols that have a value, with their positions
  std::vector<std::string> unchecked_;
  std::string lines_;
};

// "model.v2.json" -> "model_v2_json", a name in both languages.
std::string IdentifierOf(std::string_view source) {
  std::string name = "contract_of_";
  for (unsigned char c : source) name += c < 0x80 && std::isalnum(c) ? static_cast<char>(c) : '_';
  while (name.find("__") != std::string::npos) name.erase(name.find("__"), 1);  // reserved in C++
  return name;
}

std::string ListOf(CodeLanguage language, const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + CodeLiteral(language, text);
  return list;
}

std::vector<std::string> NamesOf(const Contract& contract) {
  std::vector<std::string> names;
  for (const ContractInput& input : contract.inputs) names.push_back(input.name);
  return names;
}

}  // namespace

std::string ContractHeader(const Contract& contract, const std::string& source) {
  constexpr CodeLanguage kCpp = CodeLanguage::kCpp;
  CheckWriter writer(contract, kCpp);
  const std::string checks = writer.Write();
  const std::string count = std::to_string(contract.inputs.size());
  return std::string("// Checks the inputs of an exported model before it runs. Made by fakeprop ") + kVersion +
         "; C++17, GCC or Clang.\n#pragma once\n\n#include <cstddef>\n#include <cstdint>\n#include "
         "<initializer_list>\n#include <string>\n#include <utility>\n#include <vector>\n\nnamespace " +
         IdentifierOf(source) + " {\n\ninline const char* const kGraph = " + CodeLiteral(kCpp, source) + ";\n" +
         std::string(kCppRuntime) + "\n// The inputs, in order.\ninline const std::vector<std::string> kNames = {" +
         ListOf(kCpp, NamesOf(contract)) +
         "};\n\n// What nobody can check before a run, or what this code does not check.\n"
         "inline const std::vector<std::string> kUnchecked = {" +
         ListOf(kCpp, writer.unchecked()) +
         "};\n\n// The demands that the inputs break, each with the input. Empty if the model takes them.\n"
         "inline std::vector<std::string> Check(const std::vector<Input>& inputs) {\n  using namespace detail;\n"
         "  Checker c(inputs, " +
         count + ");\n" + checks + "}\n\n}  // namespace " + IdentifierOf(source) + "\n";
}

std::string ContractModule(const Contract& contract, const std::string& source) {
  constexpr CodeLanguage kPython = CodeLanguage::kPython;
  CheckWriter writer(contract, kPython);
  const std::string checks = writer.Write();
  return std::string("\"\"\"Checks the inputs of an exported model before it runs. Made by fakeprop ") + kVersion +
         "; Python 3.9.\"\"\"" + std::string(kPythonRuntime) + "\n\nGRAPH = " + CodeLiteral(kPython, source) +
         "\n# The inputs, in order.\nNAMES = [" + ListOf(kPython, NamesOf(contract)) +
         "]\n# What nobody can check before a run, or what this code does not check.\nUNCHECKED = [" +
         ListOf(kPython, writer.unchecked()) +
         "]\n\n\ndef check(inputs):\n    \"\"\"The demands that the inputs break, each with the input; empty if the "
         "model "
         "takes them. `inputs` are tensors and\n    numbers in order, or by name.\"\"\"\n"
         "    c = Checker(inputs, NAMES)\n" +
         checks +
         "\n\ndef require(inputs):\n    \"\"\"Raises a ValueError if the inputs break a demand.\"\"\"\n"
         "    broken = check(inputs)\n    if broken:\n        raise ValueError(\"; \".join(broken))\n";
}

std::vector<std::string> UncheckedDemands(const Contract& contract) {
  CheckWriter writer(contract, CodeLanguage::kPython);
  writer.Write();
  return writer.unchecked();
}

}  // namespace fakeprop
