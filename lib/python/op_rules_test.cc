// Rules for custom operators: the results that they state, and what is wrong with a file or with what a body returns.
#include "lib/python/op_rules.h"

#include <gtest/gtest.h>

#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

std::string Head(std::string_view rest) { return "fakeprop.op_rules/1\n" + std::string(rest); }

// Where the first thing is wrong with a file, and what; empty where nothing is.
std::string Wrong(const std::string& text) {
  OpRules rules;
  DiagnosticSink sink;
  if (rules.Add(text, "rules.txt", sink)) return "";
  return sink.diagnostics().at(0).place + ": " + sink.diagnostics()[0].message;
}

TEST(OpRules, Reads) {
  EXPECT_EQ(Wrong(Head("")), "");
  EXPECT_EQ(Wrong("# first\n\nfakeprop.op_rules/1  # the version\n"), "");
  EXPECT_EQ(Wrong(Head("read::nothing(Tensor(a!) x) -> ()\n")), "");
  EXPECT_EQ(Wrong(Head("read::two(Tensor x, int n=2) -> (Tensor, Tensor):\n"
                       "    rows, columns = x.shape\n"
                       "    check(rows > n, 'too few # rows')   # said\n"
                       "    total = (rows +\n"
                       "             columns)\n"
                       "    return x.new_empty([total]), x.new_empty([n])\n")),
      "");
}

TEST(OpRules, SaysWhatIsWrong) {
  EXPECT_EQ(Wrong(""), "line 1, column 1: a file of rules begins with the line `fakeprop.op_rules/1`");
  EXPECT_EQ(
      Wrong("fakeprop.op_rules/2\n"), "line 1, column 1: a file of rules begins with the line `fakeprop.op_rules/1`");
  EXPECT_EQ(Wrong(Head("    return 1\n")),
      "line 2, column 5: this line belongs to no operator: a schema begins at the left edge");
  EXPECT_EQ(Wrong(Head("wrong::f(Tensor x -> Tensor\n    return x\n")),
      "line 2, column 19: expected an operator's schema, `ns::name(Tensor x, int n=1) -> Tensor`; it stops to be one "
      "here");
  EXPECT_EQ(Wrong(Head("f(Tensor x) -> Tensor\n    return x\n")),
      "line 2, column 1: `f` is no operator's name such as `ns::name`");
  EXPECT_EQ(Wrong(Head("aten::relu(Tensor self) -> Tensor\n    return self\n")),
      "line 2, column 1: aten::relu is PyTorch's own: a rule can be given to custom operators");
  EXPECT_EQ(
      Wrong(Head("wrong::f(Tensr x) -> Tensor\n    return x\n")), "line 2, column 1: `Tensr` is no type of a schema");
  EXPECT_EQ(Wrong(Head("wrong::g(Tensor x) -> Tensor\n    y = x\n")),
      "line 2, column 1: the rule of wrong::g does not end in `return`");
  EXPECT_EQ(Wrong(Head("wrong::h(Tensor x) -> Tensor\n    return y.relu()\n")),
      "line 3, column 12: no function `y.relu` is known here");
  EXPECT_EQ(Wrong(Head("wrong::i(Tensor x) -> Tensor\n    n = 1\n    return (x +\n      * 2)\n")),
      "line 5, column 7: expected a value, saw `*`");
  EXPECT_EQ(
      Wrong(Head("wrong::j(Tensor x) -> ()\nwrong::j(Tensor x) -> ()\n")), "line 3, column 1: wrong::j has two rules");
  EXPECT_EQ(Wrong(Head("wrong::k(Tensor x) -> ()\nwrong::k(Tensor y) -> ()\n")),
      "line 3, column 1: wrong::k is known by another schema already");
}

TEST(OpRules, ShippedRulesAreThereAndGiveWayToOthers) {
  constexpr std::string_view kName = "transformers::grouped_mm_fallback";
  OpRules shipped;
  shipped.AddShipped();
  ASSERT_TRUE(FindSchema(kName));
  EXPECT_TRUE(shipped.Find(*FindSchema(kName)));

  OpRules given;
  DiagnosticSink sink;
  ASSERT_TRUE(given.Add(Head(std::string(kName) + "(Tensor input, Tensor weight, Tensor offs) -> Tensor\n"
                                                  "    return input.new_empty([1])\n"),
      "mine.rules", sink));
  const OpRule* mine = given.Find(*FindSchema(kName));
  given.AddShipped();
  EXPECT_EQ(given.Find(*FindSchema(kName)), mine);
}

TEST(OpRules, ReadsRulesOfPython) {
  EXPECT_EQ(Wrong(Head("mymodel.ops.scale(x, by=2, *rest, mode='sum'):\n    return x\n"
                       "mymodel.build.<locals>.Scale(self, x)\n    return self.weight\n"
                       "__main__.nothing()\n")),
      "");
  EXPECT_EQ(Wrong(Head("mymodel.f(x)\n    return x\nmymodel.f(y)\n    return y\n")),
      "line 4, column 1: mymodel.f has two rules");
  EXPECT_EQ(Wrong(Head("torch.nn.functional.relu(x)\n    return x\n")),
      "line 2, column 1: torch.nn.functional.relu has a rule here: one can be given to what is not known");
  EXPECT_EQ(Wrong(Head("torch.nn.modules.linear.Linear(self, x)\n    return x\n")),
      "line 2, column 1: torch.nn.modules.linear.Linear has a rule here: one can be given to what is not known");
  EXPECT_EQ(Wrong(Head("mymodel.2d(x)\n    return x\n")),
      "line 2, column 1: `mymodel.2d` is no path of a Python function or class");
  EXPECT_EQ(Wrong(Head("mymodel.f(x: int)\n    return x\n")), "line 2, column 1: `x: int` is no argument's name");
  EXPECT_EQ(Wrong(Head("mymodel.f(x, **more)\n    return x\n")), "line 2, column 1: `*more` is no argument's name");
  for (const char* head :
      {"mymodel.f(x, n=[1, 2])", "mymodel.f(x, n=g)", "mymodel.f(x", "mymodel.f", "mymodel.f(x) -> x"})
    EXPECT_EQ(Wrong(Head(head + std::string("\n    return x\n"))),
        "line 2, column 1: expected a path and arguments with plain defaults, `mymodel.f(x, n=1)`");
  EXPECT_EQ(Wrong(Head("mymodel.f(x)\n    return y\n")), "line 3, column 12: nothing here is called `y`");
}

TEST(OpRules, RulesOfOperatorsCallFunctionsAboveThem) {
  const std::string function = "mymodel.half(n)\n    return n // 2\n",
                    no_function = "no function `mymodel.half` is known here";
  EXPECT_EQ(
      Wrong(Head(function + "read::halves(Tensor x, int n) -> Tensor\n    return x.new_empty([mymodel.half(n)])\n")),
      "");
  EXPECT_EQ(Wrong(Head("read::below(int n) -> int\n    return mymodel.half(n)\n" + function)),
      "line 3, column 12: " + no_function);
  EXPECT_EQ(Wrong(Head(function + "mymodel.quarter(n)\n    return mymodel.half(mymodel.half(n))\n")),
      "line 5, column 12: " + no_function);
}

// Runs operators that make tensors: enough for bodies.
class EmptyHost : public OperatorHost {
 public:
  Value CallOperator(const Schema& schema, std::span<const Value* const> arguments) override {
    if (schema.full_name == "aten::new_empty") return NewTensor(*arguments[1]);
    if (schema.full_name == "aten::detach") {
      const Tensor& t = *arguments[0]->TryTensor();
      return objects_.NewTensor(t.meta, t.storage);
    }
    throw InternalError("not here: " + std::string(schema.full_name));
  }
  Tensor* FindAttribute(std::string_view) override { return nullptr; }
  ExecutionState& state() override { return state_; }
  ObjectTable& objects() override { return objects_; }

  Value NewTensor(const Value& sizes) {
    Dims dims;
    for (const Value& size : sizes.TryList()->items) dims.push_back(size.Get<Dim>());
    TensorMeta meta = ContiguousMeta({dims.data(), dims.size()}, ScalarType::Float, Device(DeviceType::CPU));
    Storage* storage = objects_.NewStorage(StorageNbytes(meta), meta.device);
    return objects_.NewTensor(std::move(meta), storage);
  }

 private:
  ExecutionState state_;
  ObjectTable objects_;
};

std::string OutputText(const Output& output) {
  switch (output.kind) {
    case Output::Kind::kValue: return ToString(output.value);
    case Output::Kind::kNew: return "new " + ToString(output.meta);
    case Output::Kind::kView: return "view " + ToString(output.meta);
    case Output::Kind::kAlias: return "alias";
    case Output::Kind::kArgument: return "argument";
    case Output::Kind::kList: break;
  }
  std::string items;
  for (const Output& item : output.items) items += (items.empty() ? "" : ", ") + OutputText(item);
  return "[" + items + "]";
}

// The effects of `test::opN(Tensor x of sizes [2, 6], int n = 3)` under a signature and a body, after `functions`.
std::string EffectsOf(const std::string& arguments, const std::string& returns, const std::string& body,
    const std::string& functions = "") {
  static int count = 0;
  const std::string name = "test::op" + std::to_string(count++);
  OpRules rules;
  DiagnosticSink sink;
  if (!rules.Add(Head(functions + name + "(" + arguments + ") -> " + returns + "\n  " + body), "rules.txt", sink))
    return "unread: " + sink.diagnostics()[0].message;
  const OpRule* rule = rules.Find(*FindSchema(name));
  EmptyHost host;
  PythonMemory memory;
  Python python(host, memory);
  const Value x = host.NewTensor(List{{Value(2), Value(6)}, false}), n = 3;
  const Value* given[] = {&x, &n};
  Effects effects;
  Call call(rule->schema(), given, host.state(), Device(DeviceType::CPU), effects);
  try {
    rule->Run(python, call);
  } catch (const OpError& e) {
    return "!" + std::string(Name(e.error_class())) + ": " + e.message().substr(e.message().find("rules.txt"));
  }
  std::string text;
  for (const Output& output : effects.outputs) text += (text.empty() ? "" : "; ") + OutputText(output);
  for (const Mutation& mutation : effects.mutations) text += mutation.writes ? "; writes" : "; changes";
  EXPECT_TRUE(host.state().grad_enabled);
  return text;
}

TEST(OpRules, StatesEffects) {
  EXPECT_EQ(EffectsOf("Tensor x, int n", "Tensor", "return x.new_empty([x.size(0) + n, 4])"), "new f32[5, 4] on cpu");
  EXPECT_EQ(EffectsOf("Tensor x, int n", "(Tensor, int, float)", "return x.new_empty([n]), n, 1.5"),
      "new f32[3] on cpu; 3; 1.5");
  EXPECT_EQ(EffectsOf("Tensor x, int n", "Tensor[]", "return [x.new_empty([k]) for k in range(n)]"),
      "[new f32[0] on cpu, new f32[1] on cpu, new f32[2] on cpu]");
  EXPECT_EQ(EffectsOf("Tensor(a) x, int n", "Tensor(a)", "return x.detach()"), "view f32[2, 6] on cpu");
  EXPECT_EQ(EffectsOf("Tensor(a!) x, int n", "Tensor(a!)", "return x"), "argument; writes");
  EXPECT_EQ(EffectsOf("Tensor(a!) x, int n", "()", "check(n == 3)"), "; writes");
  EXPECT_EQ(EffectsOf("Tensor x, int n", "Tensor?", "return None"), "None");
  EXPECT_EQ(EffectsOf("Tensor x, int n", "Tensor", "check(n > 3, 'n is small')\n  return x.new_empty([n])"),
      "!ValueError: rules.txt:3: n is small");
}

TEST(OpRules, FunctionsOfTheFileCheckAndReturn) {
  const std::string half = "mymodel.half(n)\n  check(n % 2 == 0, 'n is odd')\n  return n // 2\n";
  EXPECT_EQ(EffectsOf("Tensor x, int n", "int", "return mymodel.half(n + 1)", half), "2");
  EXPECT_EQ(EffectsOf("Tensor x, int n", "int", "return mymodel.half(n)", half),
      "!ValueError: rules.txt:6: the rule of mymodel.half at rules.txt:3: n is odd");
}

// What `mymodel.it` gives as a function or as a module of a class with that path: of a tensor of sizes [2, 6] and 3.
std::string ResultOf(const std::string& rule, const Module* module) {
  OpRules rules;
  DiagnosticSink sink;
  if (!rules.Add(Head("mymodel.it" + rule), "rules.txt", sink)) return "unread: " + sink.diagnostics()[0].message;
  EmptyHost host;
  PythonMemory memory;
  Python python(host, memory);
  PythonArguments given{{host.NewTensor(List{{Value(2), Value(6)}, false})}, {{"n", Value(3)}}};
  try {
    if (!module) return ToString(rules.Find(std::string_view("mymodel.it"))->Run(python, std::move(given)));
    const PythonRule* found = rules.Find(*module);
    return found ? ToString(found->RunModule(python, *module, std::move(given))) : "none";
  } catch (const OpError& e) {
    return "!" + std::string(Name(e.error_class())) + ": " + e.message();
  }
}

TEST(OpRules, RunsFunctionsOfPython) {
  EXPECT_EQ(
      ResultOf("(x, n, by=2)\n  return x.new_empty([n, by]), [n, None]", nullptr), "(f32[3, 2] on cpu, [3, None])");
  EXPECT_EQ(ResultOf("(x, n)\n  y = x.detach()\n  check(n == 3)", nullptr), "None");
  EXPECT_EQ(ResultOf("(x, n)\n  check(n > 3, 'n is small')\n  return x", nullptr),
      "!ValueError: the rule of mymodel.it at rules.txt:3: n is small");
  EXPECT_EQ(ResultOf("(x, n)\n  return ...", nullptr), "object ...");
  EXPECT_EQ(ResultOf("(x)\n  return x", nullptr), "!TypeError: mymodel.it has no argument `n`");
}

TEST(OpRules, RunsModules) {
  Dict arguments{{{Value("width"), Value(4)}}};
  const Module module{.name = "net.fc", .class_name = "mymodel.it", .arguments = arguments, .training = true};
  EXPECT_EQ(ResultOf("(self, x, n)\n  return self.width + n if self.training else n", &module), "7");
  EXPECT_EQ(ResultOf("(x, n)\n  return n", &module), "3");
  EXPECT_EQ(ResultOf("(self, x, n)\n  return self.height", &module),
      "!UnsupportedOperator: the rule of mymodel.it at rules.txt:3: the file has no attribute `height` of the module "
      "`net.fc`");
}

TEST(OpRules, TheNearestClassServesAModule) {
  const std::string rule = "(self, x, n)\n  return n";
  EXPECT_EQ(ResultOf(rule, std::make_unique<Module>(Module{.class_name = "mymodel.other"}).get()), "none");
  Module module{.class_name = "mymodel.sub", .bases = {"mymodel.it", "torch.nn.modules.linear.Linear"}};
  EXPECT_EQ(ResultOf(rule, &module), "3");
  module.bases = {"torch.nn.modules.linear.Linear", "mymodel.it"};
  EXPECT_EQ(ResultOf(rule, &module), "none");
}

TEST(OpRules, ResultsHaveToFitTheSchema) {
  EXPECT_EQ(EffectsOf("Tensor x, int n", "Tensor", "return n"),
      "!TypeError: rules.txt:3: it returns 3 as result 0, but its schema Tensor");
  EXPECT_EQ(EffectsOf("Tensor x, int n", "(Tensor, Tensor)", "return x.new_empty([n])"),
      "!TypeError: rules.txt:3: it returns f32[3] on cpu, but its schema 2 results");
  EXPECT_EQ(EffectsOf("Tensor x, int n", "()", "return n"),
      "!TypeError: rules.txt:3: it returns 3, but its schema no result");
  EXPECT_EQ(EffectsOf("Tensor x, int n", "Tensor", "return x.detach()"),
      "!TypeError: rules.txt:3: it returns as result 0 what shares storage with `x`, but its schema marks no such "
      "alias: "
      "write Tensor(a) at both");
  EXPECT_EQ(EffectsOf("Tensor(a) x, int n", "Tensor(a)", "return x.new_empty([n])"),
      "!TypeError: rules.txt:3: it returns a new tensor as result 0, which its schema marks as an alias");
  EXPECT_EQ(EffectsOf("Tensor(a!) x, int n", "Tensor(a!)", "return x.detach()"),
      "!TypeError: rules.txt:3: it returns as result 0 another tensor than the argument that it writes to");
  EXPECT_EQ(EffectsOf("Tensor x, int n", "(Tensor, Tensor)", "y = x.new_empty([n])\n  return y, y.detach()"),
      "!TypeError: rules.txt:4: it returns two tensors on one storage");
}

}  // namespace
}  // namespace fakeprop
