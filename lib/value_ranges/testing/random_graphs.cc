#include "lib/value_ranges/testing/random_graphs.h"

#include <cctype>

namespace fakeprop::testing {
namespace {

// What stands for an argument: I a tensor of integers, B one of bools, F the table of floats, G logits, W weights, K
// log probabilities, H bounds of buckets, J offsets, n a small number, N none, p a positive number, r a real number, d
// a dimension, s the symbol, u a number from data, t a dtype of integers, f one of floats.
enum class Gives {
  kIntegers,
  kBools,
  kFloats,
  kPair,
  kTriple,
  kList,
  kAssertion,
  kDeniedAssertion,
  kBuckets,
  kNumber,
  kElement,
  kNothing
};

struct CallForm {
  const char* text;
  Gives gives = Gives::kIntegers;
};

constexpr CallForm kCalls[] = {
    {"arange(s)"},
    {"arange(s)"},
    {"arange.start(n, s)"},
    {"arange.start_step(n, s, p)"},
    {"zeros_like(I)"},
    {"ones_like(I)"},
    {"full_like(I, n)"},
    {"zeros([p, s], t)"},
    {"ones([s], t)"},
    {"full([s, p], n)"},
    {"add.Tensor(I, I)"},
    {"add.Tensor(I, n)"},
    {"add.Tensor(I, I, n)"},
    {"sub.Tensor(I, I)"},
    {"sub.Tensor(I, n)"},
    {"rsub.Scalar(I, n)"},
    {"mul.Tensor(I, I)"},
    {"mul.Tensor(I, n)"},
    {"mul.Tensor(I, B)"},
    {"neg(I)"},
    {"abs(I)"},
    {"sign(I)"},
    {"clamp(I, n, N)"},
    {"clamp(I, N, n)"},
    {"clamp(I, n, n)"},
    {"minimum(I, I)"},
    {"maximum(I, I)"},
    {"floor_divide(I, p)"},
    {"remainder.Scalar(I, p)"},
    {"fmod.Scalar(I, p)"},
    {"floor_divide(I, I)"},
    {"minimum.out(I, I, I)"},
    {"maximum.out(I, I, I)"},
    {"floor_divide.out(I, I, I)"},
    {"add.out(I, I, I)"},
    {"clamp.Tensor_out(I, I, I, I)"},
    {"mul.Tensor(I, 4611686018427387904)"},
    {"add.Tensor(I, 9223372036854775800)"},
    {"cumprod(I, d)"},
    {"prod(I)"},
    {"bitwise_or.Tensor(I, I)"},
    {"bitwise_xor.Tensor(I, I)"},
    {"__lshift__.Scalar(I, p)"},
    {"__rshift__.Scalar(I, p)"},
    {"pow.Tensor_Scalar(I, p)"},
    {"div.Tensor_mode(I, p, \"floor\")"},
    {"div.Tensor_mode(I, p, \"trunc\")"},
    {"remainder.Tensor(I, I)"},
    {"floor(I)"},
    {"eq.Scalar(I, n)", Gives::kBools},
    {"ne.Scalar(I, n)", Gives::kBools},
    {"lt.Tensor(I, I)", Gives::kBools},
    {"ge.Tensor(I, I)", Gives::kBools},
    {"le.Scalar(I, n)", Gives::kBools},
    {"gt.Tensor(I, I)", Gives::kBools},
    {"logical_and(B, B)", Gives::kBools},
    {"logical_or(B, B)", Gives::kBools},
    {"logical_xor(B, B)", Gives::kBools},
    {"isin(I, I)", Gives::kBools},
    {"bitwise_and.Tensor(B, B)", Gives::kBools},
    {"bitwise_or.Tensor(B, B)", Gives::kBools},
    {"bitwise_not(B)", Gives::kBools},
    {"bitwise_not(I)"},
    {"bitwise_and.Tensor(I, I)"},
    {"logical_not(I)", Gives::kBools},
    {"to.dtype(I, t)"},
    {"to.dtype(B, t)"},
    {"to.dtype(I, b8)", Gives::kBools},
    {"view.dtype(I, t)"},
    {"clamp.Tensor(I, I, I)"},
    {"clamp_min(I, n)"},
    {"clamp_max.Tensor(I, I)"},
    {"lift_fresh_copy(I)"},
    {"detach(I)"},
    {"contiguous(I)"},
    {"as_strided(I, [2], [1], 0)"},
    {"unsqueeze_copy(I, d)"},
    {"slice_copy.Tensor(I, d, p, 9223372036854775807)"},
    {"expand_copy(I, [2, -1])"},
    {"tile(I, [2])"},
    {"rot90(I)"},
    {"movedim.int(I, 0, 1)"},
    {"swapaxes(I, 0, 1)"},
    {"narrow_copy(I, d, 0, p)"},
    {"diagonal_copy(I)"},
    {"unsafe_split.Tensor(I, p)", Gives::kList},
    {"tensor_split.sections(I, p)", Gives::kList},
    {"split_with_sizes(I, [p, p])", Gives::kList},
    {"vsplit.int(I, p)", Gives::kList},
    {"_to_copy(I, t)"},
    {"type_as(I, I)"},
    {"unsqueeze(I, d)"},
    {"squeeze(I)"},
    {"transpose.int(I, 0, 1)"},
    {"flatten.using_ints(I)"},
    {"flip(I, [0])"},
    {"view(I, [-1])"},
    {"reshape(I, [-1, 1])"},
    {"permute(I, [1, 0])"},
    {"roll(I, [1], [0])"},
    {"atleast_1d(I)"},
    {"diagonal(I)"},
    {"unbind.int(I)", Gives::kList},
    {"split.Tensor(I, p)", Gives::kList},
    {"chunk(I, p)", Gives::kList},
    {"narrow(I, d, 0, p)"},
    {"unfold(I, 0, p, p)"},
    {"expand(I, [3, -1])"},
    {"repeat(I, [2])"},
    {"repeat(I, [1, 2])"},
    {"slice.Tensor(I, d, n, n)"},
    {"slice.Tensor(I, 0, p, s)"},
    {"slice.Tensor(I, d, n, 9223372036854775807, p)"},
    {"select.int(I, d, n)"},
    {"cat([I, I])"},
    {"cat([I, I], d)"},
    {"stack([I, I])"},
    {"where.self(B, I, I)"},
    {"masked_fill.Scalar(I, B, n)"},
    {"masked_select(I, B)"},
    {"where.ScalarOther(B, I, n)"},
    {"where.ScalarSelf(B, n, I)"},
    {"where(B)", Gives::kList},
    {"index_fill.int_Scalar(I, d, I, n)"},
    {"index_copy(I, 0, I, I)"},
    {"constant_pad_nd(I, [p, p], n)"},
    {"pad(I, [p, p])"},
    {"select_scatter(I, I, 0, p)"},
    {"slice_scatter(I, I, 0, p)"},
    {"meshgrid([I, I])", Gives::kPair},
    {"tril(I)"},
    {"triu(I, n)"},
    {"masked_scatter(I, B, I)"},
    {"cartesian_prod([I, I])"},
    {"column_stack([I, I])"},
    {"dstack([I, I])"},
    {"hstack([I, I])"},
    {"_unsafe_index.Tensor(I, [I])"},
    {"index.Tensor(I, [None, I])"},
    {"index.Tensor(I, [I, None])"},
    {"index_select(F, 0, I)", Gives::kFloats},
    {"new_full(I, [p, s], n)"},
    {"new_zeros(I, [s])"},
    {"scalar_tensor(n, t)"},
    {"full([2, 0], n)"},
    {"nonzero_static(I, p, n)"},
    {"median(I)"},
    {"median.dim(I, d)", Gives::kPair},
    {"aminmax(I)", Gives::kPair},
    {"max_pool1d_with_indices(g, [2])", Gives::kPair},
    {"randint_like(I, p)"},
    {"logical_not(B)", Gives::kBools},
    {"bitwise_xor.Tensor(B, B)", Gives::kBools},
    {"index.Tensor(I, [B])"},
    {"cumsum(I, d)"},
    {"cumsum(B, d)"},
    {"sum(I)"},
    {"sum.dim_IntList(I, [d])"},
    {"count_nonzero(I)"},
    {"argmax(I)"},
    {"argmax(I, d)"},
    {"argmin(I, d)"},
    {"max.dim(I, d)", Gives::kPair},
    {"min.dim(I, d)", Gives::kPair},
    {"topk(I, p)", Gives::kPair},
    {"topk(I, p, d)", Gives::kPair},
    {"kthvalue(I, p)", Gives::kPair},
    {"cummax(I, d)", Gives::kPair},
    {"cummin(I, d)", Gives::kPair},
    {"mode(I)", Gives::kPair},
    {"max.other(I, I)"},
    {"min.other(I, I)"},
    {"_unique2(I, True, True, True)", Gives::kTriple},
    {"unique_consecutive(I, True, True)", Gives::kTriple},
    {"unique_dim(I, 0, True, True, True)", Gives::kTriple},
    {"nonzero_numpy(I)", Gives::kList},
    {"argwhere(I)"},
    {"all(B)", Gives::kBools},
    {"any(B)", Gives::kBools},
    {"max(I)"},
    {"min(I)"},
    {"amax(I)"},
    {"nonzero(B)"},
    {"sort(I)", Gives::kPair},
    {"argsort(I)"},
    {"diff(I)"},
    {"bucketize.Tensor(I, I)"},
    {"bucketize.Tensor(F, H)"},
    {"searchsorted.Tensor(I, I)"},
    {"multinomial(W, p, True)"},
    {"tril_indices(p, p)"},
    {"triu_indices(p, p)"},
    {"eye(p, i64)"},
    {"randint(p, [3])"},
    {"randint.low(n, p, [s])"},
    {"randint.low(n, p, [3])"},
    {"randperm(p)"},
    {"one_hot(I, p)"},
    {"bincount(I)"},
    {"repeat_interleave.self_int(I, p)"},
    {"repeat_interleave.self_Tensor(I, I)"},
    {"scatter.value(I, d, I, n)"},
    {"index_put(I, [I], I)"},
    {"clone(I)"},
    {"alias(I)"},
    {"add_.Tensor(I, n)"},
    {"mul_.Tensor(I, n)"},
    {"fill_.Scalar(I, n)"},
    {"zero_(I)"},
    {"copy_(I, I)"},
    {"clamp_(I, n, n)"},
    {"clamp_.Tensor(I, I)"},
    {"sub_.Tensor(I, I)"},
    {"neg_(I)"},
    {"floor_divide_(I, I)"},
    {"remainder_.Tensor(I, I)"},
    {"remainder_.Scalar(I, p)"},
    {"bitwise_not_(I)"},
    {"logical_not_(B)"},
    {"logical_not_(I)"},
    {"eq_.Scalar(I, n)"},
    {"logical_and_(I, I)"},
    {"logical_xor_(I, I)"},
    {"__ilshift__.Scalar(I, p)"},
    {"scatter.value_reduce(I, d, I, n, \"add\")"},
    {"scatter_.reduce(I, d, I, I, \"multiply\")"},
    {"fill_.Scalar(B, 1)"},
    {"fill_.Tensor(I, I)"},
    {"set_.source_Tensor(I, I)"},
    {"resize_(I, [p])"},
    {"t_(I)"},
    {"transpose_(I, 0, 1)"},
    {"unsqueeze_(I, 0)"},
    {"squeeze_(I)"},
    {"masked_scatter_(I, B, I)"},
    {"index_fill_.int_Tensor(I, 0, I, I)"},
    {"index_put_(I, [I], I, True)"},
    {"tril_(I)"},
    {"random_.from(I, 0, p)"},
    {"max.dim_max(I, d, False, I, I)", Gives::kPair},
    {"sort.values(I, d, False, I, I)", Gives::kPair},
    {"_foreach_add_.Scalar([I, I], n)"},
    {"_foreach_zero_([I])"},
    {"index_fill_.int_Scalar(I, 0, I, n)"},
    {"masked_fill_.Scalar(I, B, n)"},
    {"cumsum_(I, 0)"},
    {"scatter_.value(I, 0, I, n)"},
    {"scatter_.src(I, d, I, I)"},
    {"scatter_add_(I, d, I, I)"},
    {"index_put_(I, [I], I)"},
    {"index_copy_(I, 0, I, I)"},
    {"index_add_(I, 0, I, I)"},
    {"index_put_(I, [B], I)"},
    {"lt.Scalar(I, n)", Gives::kBools},
    {"_assert_async(B)", Gives::kNothing},
    {"lt.Scalar(I, n)", Gives::kAssertion},
    {"ge.Scalar(I, n)", Gives::kAssertion},
    {"le.Tensor(I, I)", Gives::kAssertion},
    {"max(I)", Gives::kNumber},
    {"min(I)", Gives::kNumber},
    {"sum(I)", Gives::kNumber},
    {"item(I)", Gives::kElement},
    {"embedding(F, I)", Gives::kFloats},
    {"gather(I, d, I)"},
    {"index_select(I, d, I)"},
    {"index.Tensor(I, [I])"},
    {"index.Tensor(F, [I])", Gives::kFloats},
    {"index.Tensor(I, [I, I])"},
    {"take(I, I)"},
    {"nll_loss(G, I)", Gives::kFloats},
    {"repeat_interleave.Tensor(I)"},
    {"repeat_interleave.Tensor(I, p)"},
    {"embedding_bag(F, I, J)", Gives::kFloats},
    {"take_along_dim(I, I, d)"},
    {"scatter_add(I, d, I, I)"},
    {"scatter_reduce.two(I, d, I, I, \"amax\")"},
    {"scatter.src(I, d, I, I)"},
    {"index_add(I, d, I, I)"},
    {"index_put(I, [I, I], I)"},
    {"index_put(I, [B], I)"},
    {"index_fill(I, d, I, I)"},
    {"put(I, I, I)"},
    {"cross_entropy_loss(G, I)", Gives::kFloats},
    {"cross_entropy_loss(G, I, N, 1, 1)", Gives::kFloats},
    {"nll_loss(G, I, N, 1, n)", Gives::kFloats},
    {"narrow.Tensor(I, 0, I, p)"},
    {"multi_margin_loss(G, I)", Gives::kFloats},
    {"multilabel_margin_loss(G, I)", Gives::kFloats},
    {"embedding(I, I)"},
    {"index_select(g, 1, I)", Gives::kFloats},
    {"gather(g, 1, I)", Gives::kFloats},
    {"repeat_interleave.self_Tensor(I, I, 0, p)"},
    {"repeat_interleave.self_Tensor(I, I, None, p)"},
    {"_pack_padded_sequence(G, I, True)", Gives::kFloats},
    {"ctc_loss.Tensor(K, I, I, I)", Gives::kFloats},
    {"ctc_loss.IntList(K, I, [2], [1])", Gives::kFloats},
    {"gt.Scalar(I, n)", Gives::kDeniedAssertion},
    {"lt.Scalar(I, n)", Gives::kDeniedAssertion},
    {"arange(u)"},
    {"zeros([u, p], t)"},
    {"slice.Tensor(I, 0, 0, u)"},
    {"add.Tensor(I, u)"},
    {"select.int(I, 0, u)"},
    {"clamp(I, N, u)"},
    {"abs(I)", Gives::kBuckets},
    {"alias(I)", Gives::kBuckets},
    {"clamp_min(I, n)", Gives::kBuckets},
};

// Steps from integers to numbers of the same places: x is what the step before returned.
constexpr const char* kBucketSteps[] = {
    "to.dtype(x, f)",
    "to.dtype(x, f)",
    "to.dtype(x, i64)",
    "to.dtype(x, i32)",
    "abs(x)",
    "div.Tensor(x, p)",
    "div.Scalar(x, p)",
    "div.Tensor(x, r)",
    "mul.Tensor(x, p)",
    "mul.Tensor(x, r)",
    "add.Tensor(x, n)",
    "add.Tensor(x, r)",
    "sub.Tensor(x, n)",
    "rsub.Scalar(x, n)",
    "log(x)",
    "log2(x)",
    "sqrt(x)",
    "ceil(x)",
    "floor(x)",
    "neg(x)",
    "clamp(x, N, p)",
    "clamp(x, n, N)",
    "clamp_min(x, n)",
    "minimum(x, x)",
    "trunc(x)",
};

class Writer {
 public:
  explicit Writer(uint64_t seed) : random_(seed) {}

  RandomGraph Write() {
    graph_.size = Below(8);
    AddInput("x", Pick({"i64[77]", "i64[3,77]", "i32[77]", "u8[77]", "i64[4]"}), true);
    AddInput("y", Pick({"i64[77]", "i64[77,3]", "i64[5]", "i64[]"}), true);
    AddInput("m", Pick({"b8[77]", "b8[3,77]", "b8[5]"}), false);
    graph_.text += "w: f32[5,2]\ng: f32[77,4]\nh: f32[3]\nk: f32[77,2,4]\no: i64[2]\n";
    graph_.values.resize(7);
    graph_.values.push_back({0, 0});
    integers_ = {"x", "y"};
    bools_ = {"m"};
    graph_.text += "s = sym_size.int(g, 0)\n";
    for (uint64_t i = 0, count = 3 + Below(10); i < count; ++i) AddCall("v" + std::to_string(i));
    graph_.text += "return x";
    return std::move(graph_);
  }

 private:
  uint64_t Below(uint64_t count) { return random_() % count; }
  template <typename List>
  auto PickFrom(const List& list) {
    return list[Below(std::size(list))];
  }
  std::string Pick(std::vector<std::string> list) { return PickFrom(list); }

  void AddInput(const std::string& name, const std::string& type, bool may_be_declared) {
    graph_.text += name + ": " + type + "\n";
    ValueBounds bounds;
    const int64_t least = type.starts_with("u8") ? 0 : -3;
    if (may_be_declared && Below(2)) bounds.min = static_cast<int64_t>(Below(6)) + least;
    if (may_be_declared && Below(2)) bounds.max = bounds.min.value_or(0) + static_cast<int64_t>(Below(8));
    graph_.values.push_back(bounds);
  }

  void AddLine(const std::string& name, const std::string& call) { graph_.text += name + " = " + call + "\n"; }

  void AddCall(const std::string& name) {
    const CallForm form = PickFrom(kCalls);
    const std::string call = Written(form.text);
    switch (form.gives) {
      case Gives::kIntegers: AddLine(name, call), integers_.push_back(name); break;
      case Gives::kBools: AddLine(name, call), bools_.push_back(name); break;
      case Gives::kFloats:
      case Gives::kNothing: AddLine(name, call); break;
      case Gives::kElement: AddLine(name, call), numbers_.push_back(name); break;
      case Gives::kPair: AddItems(name, call, 2); break;
      case Gives::kTriple: AddItems(name, call, 3); break;
      case Gives::kList: AddItems(name, call, 1); break;
      case Gives::kAssertion: AddAssertion(name, call, "all"); break;
      case Gives::kDeniedAssertion: AddAssertion(name, call, "any"); break;
      case Gives::kBuckets: AddBuckets(name, call); break;
      case Gives::kNumber:
        AddLine(name + "e", call);
        AddLine(name, "item(" + name + "e)");
        numbers_.push_back(name);
        break;
    }
  }

  void AddItems(const std::string& name, const std::string& call, int count) {
    AddLine(name, call);
    for (int i = 0; i < count; ++i) {
      const std::string item = name + std::to_string(i);
      AddLine(item, "_operator.getitem(" + name + ", " + std::to_string(i) + ")");
      integers_.push_back(item);
    }
  }

  // Buckets of numbers: near ones as they are, or as many to a bucket as floats say.
  void AddBuckets(const std::string& name, const std::string& call) {
    const std::string near = name + "n", mask = name + "m", far = name + "i";
    AddLine(near, call);
    AddLine(mask, Pick({"lt", "le", "gt", "ge"}) + Written(".Scalar(" + near + ", n)"));
    step_ = near;
    for (uint64_t i = 0, count = 1 + Below(6); i < count; ++i) {
      const std::string next = name + "s" + std::to_string(i);
      AddLine(next, Written(PickFrom(kBucketSteps)));
      step_ = next;
    }
    AddLine(far, "to.dtype(" + step_ + ", i64)");
    AddLine(name, "where.self(" + mask + ", " + (Below(2) ? near + ", " + far : far + ", " + near) + ")");
    integers_.push_back(name);
  }

  // All are true, or not any is.
  void AddAssertion(const std::string& name, const std::string& call, const std::string& of) {
    AddLine(name + "c", call);
    AddLine(name + "r", of + "(" + name + "c)");
    if (of == "any") AddLine(name + "n", "logical_not(" + name + "r)");
    AddLine(name, "_assert_async(" + name + (of == "any" ? "n)" : "r)"));
    bools_.push_back(name + "c");
  }

  static bool IsOfWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '"'; }

  // The form with arguments for the single letters after its name.
  std::string Written(const std::string& form) {
    const size_t open = form.find('(');
    std::string text = form.substr(0, open);
    for (size_t i = open; i < form.size(); ++i) {
      const bool is_alone = i > open && !IsOfWord(form[i - 1]) && i + 1 < form.size() && !IsOfWord(form[i + 1]);
      text += is_alone ? ArgumentFor(form[i]) : std::string(1, form[i]);
    }
    return text;
  }

  std::string ArgumentFor(char c) {
    switch (c) {
      case 'I': return integers_[Below(integers_.size())];
      case 'B': return bools_[Below(bools_.size())];
      case 'F': return "w";
      case 'G': return "g";
      case 'W': return "w";
      case 'H': return "h";
      case 'J': return "o";
      case 'K': return "k";
      case 'u': return numbers_.empty() ? "s" : numbers_[Below(numbers_.size())];
      case 'N': return "None";
      case 'n': return std::to_string(static_cast<int64_t>(Below(9)) - 4);
      case 'p': return std::to_string(1 + Below(5));
      case 'd': return Below(3) ? "0" : "-1";
      case 's': return "s";
      case 'x': return step_;
      case 'r': return Pick({"0.5", "1.7", "2.772588722239781", "-3.25", "1e-3", "100.1"});
      case 'f': return Pick({"f32", "f32", "f64", "f16", "bf16"});
      case 't': return Pick({"i64", "i32", "u8", "i8", "i16", "u32", "u64"});
      default: return std::string(1, c);
    }
  }

  std::mt19937_64 random_;
  RandomGraph graph_;
  std::vector<std::string> integers_, bools_, numbers_;
  std::string step_;  // what the step before returned
};

}  // namespace

RandomGraph MakeRandomGraph(uint64_t seed) { return Writer(seed).Write(); }

}  // namespace fakeprop::testing
