// Prints every operator schema that LibTorch registers as the C++ source of the schema table, sorted by name. Run at
// build time; lib/graph/schema_table.h is the door to what it prints.
#include <ATen/autocast_mode.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "lib/graph/schema_flags.h"

namespace {

using fakeprop::SchemaFlag;

// Autocast's lists, as the operators' dispatcher names.
struct AutocastLists {
  std::set<std::string> lower_precision, fp32, fp32_set_dtype, promote;
};

std::string Joined(const char* op, const char* overload = "") {
  return std::string("aten::") + op + (*overload ? "." : "") + overload;
}

AutocastLists ReadAutocastLists() {
  AutocastLists lists;
#define ADD_LOWER(...) lists.lower_precision.insert(Joined(__VA_ARGS__));
#define ADD_FP32(...) lists.fp32.insert(Joined(__VA_ARGS__));
#define ADD_SET(...) lists.fp32_set_dtype.insert(Joined(__VA_ARGS__));
#define ADD_PROMOTE(...) lists.promote.insert(Joined(__VA_ARGS__));
#define STR(x) #x
#define L1(op) ADD_LOWER(STR(op))
#define L2(op, overload) ADD_LOWER(STR(op), STR(overload))
#define PICK(_1, _2, NAME, ...) NAME
#define LOWER(...) PICK(__VA_ARGS__, L2, L1)(__VA_ARGS__)
#define F1(op) ADD_FP32(STR(op))
#define F2(op, overload) ADD_FP32(STR(op), STR(overload))
#define FP32(...) PICK(__VA_ARGS__, F2, F1)(__VA_ARGS__)
#define S1(op) ADD_SET(STR(op))
#define S2(op, overload) ADD_SET(STR(op), STR(overload))
#define SET(...) PICK(__VA_ARGS__, S2, S1)(__VA_ARGS__)
#define P1(op) ADD_PROMOTE(STR(op))
#define P2(op, overload) ADD_PROMOTE(STR(op), STR(overload))
#define PROMOTE(...) PICK(__VA_ARGS__, P2, P1)(__VA_ARGS__)
  AT_FORALL_LOWER_PRECISION_FP(LOWER)
  AT_FORALL_FP32(FP32)
  AT_FORALL_FP32_SET_OPT_DTYPE(SET)
  AT_FORALL_PROMOTE(PROMOTE)
  return lists;
}

uint32_t Flags(const c10::OperatorHandle& op, const std::string& name, const AutocastLists& lists) {
  uint32_t flags = 0;
  auto kernel = [&](c10::DispatchKey key, SchemaFlag flag) { if (op.hasKernelForDispatchKey(key)) flags |= flag; };
  kernel(c10::DispatchKey::CompositeImplicitAutograd, fakeprop::kHasCompositeImplicit);
  kernel(c10::DispatchKey::CompositeExplicitAutograd, fakeprop::kHasCompositeExplicit);
  kernel(c10::DispatchKey::CompositeExplicitAutogradNonFunctional, fakeprop::kHasCompositeExplicit);
  kernel(c10::DispatchKey::Meta, fakeprop::kHasMeta);
  kernel(c10::DispatchKey::CPU, fakeprop::kHasCpu);
  auto tag = [&](at::Tag t, SchemaFlag flag) { if (op.hasTag(t)) flags |= flag; };
  tag(at::Tag::inplace_view, fakeprop::kTagInplaceView);
  tag(at::Tag::data_dependent_output, fakeprop::kTagDataDependent);
  tag(at::Tag::dynamic_output_shape, fakeprop::kTagDynamicShape);
  tag(at::Tag::core, fakeprop::kTagCore);
  tag(at::Tag::nondeterministic_seeded, fakeprop::kTagRandom);
  tag(at::Tag::pointwise, fakeprop::kTagPointwise);
  tag(at::Tag::view_copy, fakeprop::kTagViewCopy);
  tag(at::Tag::generated, fakeprop::kTagGenerated);
  auto list = [&](const std::set<std::string>& names, SchemaFlag flag) { if (names.count(name)) flags |= flag; };
  list(lists.lower_precision, fakeprop::kAutocastLowerPrecision);
  list(lists.fp32, fakeprop::kAutocastFloat32);
  list(lists.fp32_set_dtype, fakeprop::kAutocastFloat32SetDtype);
  list(lists.promote, fakeprop::kAutocastPromote);
  return flags;
}

}  // namespace

int main() {
  const AutocastLists lists = ReadAutocastLists();
  auto& dispatcher = c10::Dispatcher::singleton();
  std::vector<std::pair<std::string, std::string>> lines;
  for (const c10::OperatorName& op_name : dispatcher.getAllOpNames()) {
    auto op = dispatcher.findSchema(op_name);
    if (!op) continue;
    std::ostringstream name, line;
    name << op_name;
    line << "{\"" << name.str() << "\", R\"~(" << op->schema() << ")~\", " << Flags(*op, name.str(), lists) << "u},";
    lines.emplace_back(name.str(), line.str());
  }
  std::sort(lines.begin(), lines.end());
  std::cout << "#include \"lib/graph/schema_table.h\"\n\nnamespace fakeprop {\n\n"
               "extern const SchemaEntry kSchemaTable[];\nextern const size_t kSchemaTableSize;\n\n"
               "const SchemaEntry kSchemaTable[] = {\n";
  for (const auto& [name, line] : lines) std::cout << line << '\n';
  std::cout << "};\nconst size_t kSchemaTableSize = " << lines.size() << ";\n\n}  // namespace fakeprop\n";
}
