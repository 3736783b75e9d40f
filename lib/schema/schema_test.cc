#include <gtest/gtest.h>

#include <barrier>
#include <map>
#include <thread>
#include <tuple>

#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

TEST(SchemaTable, EveryEntryParses) {
  EXPECT_GT(AllSchemas().size(), 3000u);
  for (const SchemaEntry& entry : AllSchemas()) {
    const Schema* schema = FindSchema(entry.full_name);
    ASSERT_NE(schema, nullptr) << entry.full_name;
    EXPECT_EQ(schema->full_name, entry.full_name);
  }
}

// Rules find arguments by the hashes of their names.
TEST(SchemaTable, ArgumentNamesHaveHashesOfTheirOwn) {
  std::map<uint32_t, std::string_view> names;
  for (const SchemaEntry& entry : AllSchemas()) {
    const Schema& schema = *FindSchema(entry.full_name);
    ASSERT_EQ(schema.argument_hashes.size(), schema.arguments.size()) << entry.full_name;
    for (size_t i = 0; i < schema.arguments.size(); ++i) {
      const std::string_view name = schema.arguments[i].name;
      EXPECT_EQ(names.emplace(schema.argument_hashes[i], name).first->second, name);
    }
  }
  EXPECT_GT(names.size(), 500u);
}

TEST(SchemaTable, FindsArgumentsByName) {
  const Schema* add = FindSchema("aten::add.Tensor");
  ASSERT_NE(add, nullptr);
  EXPECT_EQ(add->IndexOf("other"), 1);
  EXPECT_EQ(add->FindArgument("other"), 1);
  EXPECT_EQ(add->IndexOf("dim"), -1);
}

TEST(SchemaTable, ReadsArgumentsDefaultsAndAliases) {
  const Schema* to = FindSchema("aten::to.dtype_layout");
  ASSERT_NE(to, nullptr);
  EXPECT_EQ(to->name, "aten::to");
  EXPECT_EQ(to->overload, "dtype_layout");
  EXPECT_EQ(to->arguments[0].alias_set, "a");
  EXPECT_TRUE(to->arguments[1].is_keyword_only);
  EXPECT_TRUE(to->arguments[1].type.is_optional);
  EXPECT_EQ(to->arguments[1].type.kind, TypeKind::kDtype);
  EXPECT_TRUE(to->arguments[1].default_value->IsNone());
  EXPECT_EQ(to->returns[0].alias_set, "a");
}

TEST(SchemaTable, TellsInplaceAndOutForms) {
  EXPECT_TRUE(FindSchema("aten::add_.Tensor")->IsInplace());
  EXPECT_FALSE(FindSchema("aten::add.Tensor")->IsInplace());
  EXPECT_FALSE(FindSchema("aten::__and__.Tensor")->IsInplace());
  EXPECT_TRUE(FindSchema("aten::add.out")->IsOut());
  EXPECT_TRUE(FindSchema("aten::max.dim_max")->IsOut());
  EXPECT_FALSE(FindSchema("aten::add_.Tensor")->IsOut());
}

TEST(SchemaTable, ReadsListsAndElementOptionals) {
  const Schema* index = FindSchema("aten::index.Tensor");
  EXPECT_TRUE(index->arguments[1].type.is_list);
  EXPECT_TRUE(index->arguments[1].type.is_element_optional);
  const Schema* conv = FindSchema("aten::conv2d");
  EXPECT_EQ(ToString(*conv->arguments[3].default_value), "[1, 1]");
}

TEST(SchemaTable, OverloadsStandTogether) {
  EXPECT_EQ(Overloads("aten::relu").size(), 2u);  // relu, relu.out
  EXPECT_GT(Overloads("aten::add").size(), 3u);
}

TEST(SchemaTable, TargetsAndOperatorNames) {
  EXPECT_EQ(OperatorName("torch.ops.aten.add.Tensor"), "aten::add.Tensor");
  EXPECT_EQ(OperatorName("torch.ops.aten.relu.default"), "aten::relu");
  EXPECT_EQ(OperatorName("_operator.add"), "");
  EXPECT_EQ(TargetName("aten::relu"), "torch.ops.aten.relu.default");
  EXPECT_EQ(TargetName("aten::add.Tensor"), "torch.ops.aten.add.Tensor");
}

// Versions of torch.

TorchRange VersionsOf(std::string_view full_name) {
  for (const SchemaEntry& entry : AllSchemas())
    if (entry.full_name == full_name) return entry.versions;
  return {0, 0};
}

TEST(SchemaTable, SaysWhichVersionsHaveAnOperator) {
  for (const auto& [name, since, until] :
      {std::tuple("aten::relu", kOldestTorch, kNewestTorch), {"aten::cholesky", 13, 13}, {"aten::qr", 13, 13},
          {"aten::linalg_polar", 14, kNewestTorch}, {"aten::_scaled_addmm", 15, kNewestTorch},
          {"aten::_cdist_backward", 13, kNewestTorch}, {"aten::_philox_normal_", 13, kNewestTorch}}) {
    EXPECT_EQ(VersionsOf(name).since, since) << name;
    EXPECT_EQ(VersionsOf(name).until, until) << name;
  }
}

TEST(SchemaTable, EachOperatorStandsOnce) {
  const auto all = AllSchemas();
  for (size_t i = 1; i < all.size(); ++i) EXPECT_LT(all[i - 1].full_name, all[i].full_name);
  const std::vector<SchemaEntry> overloads = Overloads("aten::_cdist_backward");
  ASSERT_EQ(overloads.size(), 2u);
  EXPECT_EQ(overloads[0].versions.since, kOldestTorch);
  EXPECT_EQ(overloads[0].versions.until, kNewestTorch);
}

TEST(SchemaTable, ArgumentsAreFoundByFormerNames) {
  const Schema& schema = *FindSchema("aten::_cdist_backward");
  EXPECT_TRUE(schema.varies);
  EXPECT_EQ(schema.FindArgument("grad_output"), 0);
  EXPECT_EQ(schema.FindArgument("grad"), 0);
  EXPECT_EQ(schema.FindArgument(""), -1);
  EXPECT_FALSE(FindSchema("aten::_philox_normal_")->varies);  // only its kernels differ
}

// A newer schema serves graphs of older versions: it may name arguments differently, and add some that have defaults.
TEST(SchemaTable, NewerSchemasTakeOlderCalls) {
  for (const SchemaEntry& entry : FormerSchemas()) {
    const Schema former = ParseSchema(entry.text, entry.flags);
    const Schema& schema = *FindSchema(entry.full_name);
    ASSERT_LE(former.arguments.size(), schema.arguments.size()) << entry.text;
    EXPECT_EQ(former.returns.size(), schema.returns.size()) << entry.text;
    for (size_t i = 0; i < schema.arguments.size(); ++i) {
      const SchemaArgument& argument = schema.arguments[i];
      if (i >= former.arguments.size()) {
        EXPECT_TRUE(argument.default_value) << entry.text << ": " << argument.name;
        continue;
      }
      const SchemaArgument& before = former.arguments[i];
      EXPECT_EQ(schema.FindArgument(before.name), static_cast<int>(i)) << entry.text << ": " << before.name;
      EXPECT_TRUE(before.type.text == argument.type.text || argument.type.kind == TypeKind::kAny) << entry.text;
      EXPECT_EQ(before.default_value ? ToString(*before.default_value) : "",
          argument.default_value ? ToString(*argument.default_value) : "")
          << entry.text << ": " << before.name;
    }
  }
}

TEST(SchemaTable, AutocastPoliciesAreThere) {
  auto cpu = [](const char* op) { return AutocastPolicyOf(FindSchema(op)->flags, kAutocastCpuShift); };
  auto cuda = [](const char* op) { return AutocastPolicyOf(FindSchema(op)->flags, kAutocastCudaShift); };
  EXPECT_EQ(cpu("aten::linear"), AutocastPolicy::kLowerPrecision);
  EXPECT_EQ(cpu("aten::conv2d.padding"), AutocastPolicy::kLowerPrecision);
  EXPECT_EQ(cpu("aten::cat"), AutocastPolicy::kPromote);
  EXPECT_EQ(cpu("aten::layer_norm"), AutocastPolicy::kNone);
  EXPECT_EQ(cuda("aten::layer_norm"), AutocastPolicy::kFloat32);
  EXPECT_EQ(cuda("aten::cumsum"), AutocastPolicy::kFloat32SetDtype);
  EXPECT_EQ(cuda("aten::addcmul"), AutocastPolicy::kPromote);
  EXPECT_EQ(cuda("aten::binary_cross_entropy"), AutocastPolicy::kBanned);
}

TEST(AddSchema, ThreadsGetOneSchema) {
  constexpr int kThreads = 4, kOperators = 2000;
  std::vector<std::vector<const Schema*>> added(kThreads, std::vector<const Schema*>(kOperators));
  std::barrier together(kThreads);
  std::vector<std::thread> threads;
  for (auto& schemas : added)
    threads.emplace_back([&] {
      for (int i = 0; i < kOperators; ++i) {
        together.arrive_and_wait();
        schemas[i] = AddSchema("threads::op" + std::to_string(i) + "(Tensor x) -> Tensor", 0);
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& schemas : added) EXPECT_EQ(schemas, added[0]);
}

}  // namespace
}  // namespace fakeprop
