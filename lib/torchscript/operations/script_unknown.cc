#include "lib/torchscript/operations/script_unknown.h"

#include "lib/meta/value_visit.h"
#include "lib/torchscript/operations/script_values.h"

namespace fakeprop {
namespace {

// Numbers of a type, small ones and a great one; of a Scalar that may be either, integers and floats.
const std::vector<Value>& NumbersOf(const std::string& type) {
  static const std::vector<Value> kInts = {1, 1000003, 0}, kFloats = {1.0, 1000003.5, 0.25}, kBools = {true, false},
                                  kNumbers = {1.0, 1000003.5, 0.25, 1};
  if (type == "int") return kInts;
  if (type == "float") return kFloats;
  return type == "bool" ? kBools : kNumbers;
}

class Trials {
 public:
  Trials(HigherOrderCall& call, const Schema& schema, std::vector<Value> given, const RunOnValues& run)
      : call_(call), schema_(schema), given_(std::move(given)), run_(run), chosen_(given_) {}

  Value Run() {
    for (size_t i = 0; i < given_.size(); ++i)
      if (IsUnknown(given_[i])) chosen_[i] = NumbersFor(i).front();
    const std::optional<Value> first = Try(chosen_);
    for (size_t i = 0; first && i < given_.size(); ++i)
      if (IsUnknown(given_[i])) Compare(i, *first);
    Value result = run_(chosen_);
    ForEachTensor(result, [](const Tensor& t) { const_cast<Tensor&>(t).constant = nullptr; });
    return result;
  }

 private:
  const std::vector<Value>& NumbersFor(size_t i) {
    const SchemaArgument& argument = schema_.arguments[i];
    const TypeKind kind = argument.type.kind;
    if (argument.type.is_list || (kind != TypeKind::kScalar && kind != TypeKind::kFloat))
      Fail(ErrorClass::kDataDependentOutput, NameOf(i) + " depends on data");
    return NumbersOf(UnknownType(given_[i]));
  }

  void Compare(size_t i, const Value& first) {
    std::vector<Value> others = chosen_;
    for (const Value& number : NumbersFor(i)) {
      others[i] = number;
      const std::optional<Value> other = Try(others);
      if (other && !SameMetadata(first, *other))
        Fail(ErrorClass::kDataDependentOutput,
            NameOf(i) + " depends on data, and the result's shape or dtype on it: " + ToString(first) + " for " +
                ToString(chosen_[i]) + ", " + ToString(*other) + " for " + ToString(number));
    }
  }

  // "the argument `end`, %n,"
  std::string NameOf(size_t i) const {
    const std::string argument = "the argument `" + std::string(schema_.arguments[i].name) + "`";
    const auto& written = call_.node().arguments;
    const NodeRef* ref = i < written.size() ? written[i].value.TryGet<NodeRef>() : nullptr;
    return ref ? argument + ", %" + call_.graph().nodes[ref->index].name + "," : argument;
  }

  // Nothing where the operator refuses the numbers.
  std::optional<Value> Try(std::vector<Value> arguments) {
    for (size_t i = 0; i < arguments.size(); ++i)
      if (Tensor* t = arguments[i].TryTensor(); t && schema_.arguments[i].is_write)
        arguments[i] =
            call_.objects().NewTensor(t->meta, call_.objects().NewStorage(t->storage->nbytes, t->meta.device));
    try {
      return run_(arguments);
    } catch (const OpError&) {
      return std::nullopt;
    }
  }

  HigherOrderCall& call_;
  const Schema& schema_;
  const std::vector<Value> given_;
  const RunOnValues& run_;
  std::vector<Value> chosen_;
};

}  // namespace

Value RunWithUnknown(
    HigherOrderCall& call, const Schema& schema, std::vector<Value> arguments, const RunOnValues& run) {
  return Trials(call, schema, std::move(arguments), run).Run();
}

}  // namespace fakeprop
