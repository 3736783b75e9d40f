#include "lib/torchscript/compiler/ir.h"

#include <gtest/gtest.h>

namespace fakeprop::script {
namespace {

TEST(Ir, ANameGoesToTheLastThatAsksForIt) {
  TypeTable types;
  IrGraph graph(types);
  const TypeRef tensor = types.Basic(TypeCase::kTensor);
  std::vector<IrValue*> values;
  for (int i = 0; i < 3; ++i) {
    values.push_back(graph.InsertOp("aten::f", {}, tensor));
    SetName(*values.back(), "x");
  }
  EXPECT_EQ(values[0]->name, "x.1");
  EXPECT_EQ(values[1]->name, "x.3");  // torch skips a number after each conflict
  EXPECT_EQ(values[2]->name, "x");
  SetName(*values[2], "x.1");  // and the owner of a numbered name gets the next number
  EXPECT_EQ(values[2]->name, "x.1");
  EXPECT_EQ(values[0]->name, "x.5");
}

TEST(Ir, CopiesAreNumberedInTheirOwnOrder) {
  TypeTable types;
  IrGraph graph(types);
  const TypeRef tensor = types.Basic(TypeCase::kTensor);
  IrValue* input = graph.block()->parameters->AddOutput(tensor);
  IrValue* removed = graph.InsertOp("aten::f", {input}, tensor);
  IrValue* kept = graph.InsertOp("aten::g", {input}, tensor);
  removed->node->Destroy();
  graph.block()->results->AddInput(kept);
  EXPECT_EQ(NameOf(*kept), "2");
  const auto copy = graph.Copy();
  EXPECT_EQ(NameOf(*copy->block()->outputs()[0]), "1");
}

TEST(Ir, TypesHaveAnOrder) {
  TypeTable types;
  const TypeRef tensor = types.Basic(TypeCase::kTensor), integer = types.Basic(TypeCase::kInt);
  const TypeRef none = types.Basic(TypeCase::kNone);
  EXPECT_EQ(types.List(tensor), types.List(tensor));
  EXPECT_TRUE(IsSubtype(integer, types.Basic(TypeCase::kNumber)));
  EXPECT_FALSE(IsSubtype(types.List(integer), types.List(types.Basic(TypeCase::kNumber))));
  EXPECT_TRUE(IsSubtype(types.Tuple({integer}), types.Tuple({types.Optional(integer)})));
  EXPECT_EQ(Unify(none, tensor, types), types.Optional(tensor));
  EXPECT_EQ(Unify(integer, tensor, types), nullptr);
  EXPECT_EQ(types.Tuple({})->name, "Tuple[()]");
  EXPECT_EQ(types.Dict(types.Basic(TypeCase::kString), types.List(tensor))->name, "Dict[str, List[Tensor]]");
}

}  // namespace
}  // namespace fakeprop::script
