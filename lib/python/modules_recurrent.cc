// Recurrent modules of torch.nn. Source: torch/nn/modules/rnn.py (torch 2.13).
#include "lib/meta/lists.h"
#include "lib/python/module.h"

namespace fakeprop {
namespace {

Value Zeros(ModuleInstance& m, std::initializer_list<Dim> sizes) {
  const TensorMeta& like = m.names().TensorOf("input").meta;
  return m.python().Operator("aten::zeros", {IntListOf(sizes), Value(like.dtype), Value(), Value(like.device)});
}

// How many rows a weight has for each hidden unit.
enum Gates : int64_t { kPlain = 1, kGru = 3, kLstm = 4 };

// More than any model has are a mistake of the file.
int64_t CheckedLayers(int64_t layers) {
  constexpr int64_t kMost = 1000;
  if (layers >= 1 && layers <= kMost) return layers;
  Fail(ErrorClass::kValueError,
      "a recurrent module has 1 to " + std::to_string(kMost) + " layers, not " + std::to_string(layers));
}

class Recurrent {
 public:
  Recurrent(ModuleInstance& m, Gates gates) : m_(m), gates_(gates) {
    const Bindings& names = m.names();
    hidden_ = names.Int("hidden_size");
    projected_ = names.Int("proj_size");
    real_hidden_ = Guard(Eq(projected_, 0)) ? hidden_ : projected_;
    directions_ = names.Bool("bidirectional") ? 2 : 1;
    layers_ = CheckedLayers(names.Int("num_layers"));
  }

  // The weights in the order in which the operators take them.
  List Weights() {
    List list;
    for (int64_t layer = 0; layer < layers_; ++layer)
      for (int64_t direction = 0; direction < directions_; ++direction) AddWeights(layer, direction == 1, list);
    return list;
  }

  bool Batched() const { return m_.names().TensorOf("input").meta.rank() == 3; }
  int64_t BatchDim() const { return m_.names().Bool("batch_first") ? 0 : 1; }

  Value Input() {
    const int64_t rank = m_.names().TensorOf("input").meta.rank();
    if (rank != 2 && rank != 3)
      Fail(ErrorClass::kValueError,
          "a recurrent module takes an input of rank 2 or 3, not " + ToString(m_.names().TensorOf("input").meta));
    if (Batched()) return m_["input"];
    return m_.Call("aten.unsqueeze", {m_["input"], Value(BatchDim())});
  }

  // A state: the given one, or zeros of `size` hidden units.
  Value State(const Value& given, const Value& input, Dim size) {
    const Dim batch = SizeIn(AsTensor(input).meta, m_.names().Bool("batch_first") ? 0 : 1);
    const Dim count = Dim(layers_ * directions_);
    if (given.IsNone()) return Zeros(m_, {count, batch, size});
    if (!given.TryTensor())
      Fail(ErrorClass::kTypeError, "a state of a recurrent module is a tensor, not " + ToString(given));
    const int64_t rank = AsTensor(given).meta.rank();
    if (rank != (Batched() ? 3 : 2))
      Fail(ErrorClass::kShapeMismatch,
          "the state of a recurrent module has the rank of its input, not " + std::to_string(rank));
    Value state = Batched() ? given : m_.Call("aten.unsqueeze", {given, Value(1)});
    const Dims expected = {count, batch, size};
    if (!ExpectSame(AsTensor(state).meta.size_span(), {expected.data(), 3}))
      Fail(ErrorClass::kShapeMismatch, "the state of the recurrent module is " +
                                           ToString(AsTensor(state).meta.size_span()) + ", but should be " +
                                           ToString({expected.data(), 3}));
    return state;
  }

  Value Unbatch(const Value& value, int64_t dim) {
    return Batched() ? value : m_.Call("aten.squeeze", {value, Value(dim)});
  }

  Value Run(const std::string& op, Value state) {
    const Bindings& n = m_.names();
    const Value input = input_;
    return m_.python().Operator(op, {input, std::move(state), Weights(), Value(has_bias()), n["num_layers"], Dropout(),
                                        Value(m_.training()), n["bidirectional"], n["batch_first"]});
  }

  Dim hidden() const { return hidden_; }
  Dim real_hidden() const { return real_hidden_; }
  const Value& TakeInput() { return input_ = Input(); }

 private:
  bool has_bias() const { return m_.names().Bool("bias"); }
  Value Dropout() const { return Value(m_.names().Float("dropout")); }

  void AddWeights(int64_t layer, bool is_reverse, List& list) {
    const std::string suffix = "_l" + std::to_string(layer) + (is_reverse ? "_reverse" : "");
    const Dim in = layer == 0 ? Dim(m_.names().Int("input_size")) : real_hidden_ * Dim(directions_);
    const Dim gates = Dim(gates_) * hidden_;
    Add("weight_ih" + suffix, {gates, in}, list);
    Add("weight_hh" + suffix, {gates, real_hidden_}, list);
    if (has_bias()) {
      Add("bias_ih" + suffix, {gates}, list);
      Add("bias_hh" + suffix, {gates}, list);
    }
    if (Guard(Ne(projected_, 0))) Add("weight_hr" + suffix, {projected_, hidden_}, list);
  }

  void Add(const std::string& name, const Dims& sizes, List& list) {
    m_.Parameter(name, sizes);
    list.items.push_back(m_[name]);
  }

  ModuleInstance& m_;
  Gates gates_;
  Value input_;
  Dim hidden_, projected_, real_hidden_;
  int64_t directions_ = 1, layers_ = 1;
};

Value OneState(ModuleInstance& m, Gates gates, const std::string& op) {
  Recurrent net(m, gates);
  const Value input = net.TakeInput();
  Value both = net.Run(op, net.State(m["hx"], input, net.hidden()));
  const std::vector<Value>& results = AsItems(both);
  return List{{net.Unbatch(results[0], net.BatchDim()), net.Unbatch(results[1], 1)}, true};
}

Value Rnn(ModuleInstance& m) {
  const std::string_view kind = m.names().String("nonlinearity");
  return OneState(m, kPlain, kind == "relu" ? "aten::rnn_relu.input" : "aten::rnn_tanh.input");
}
Value Gru(ModuleInstance& m) { return OneState(m, kGru, "aten::gru.input"); }

Value Lstm(ModuleInstance& m) {
  Recurrent net(m, kLstm);
  const Value input = net.TakeInput();
  const List* given = m["hx"].TryList();
  if (given && given->items.size() != 2)
    Fail(ErrorClass::kTypeError, "the state of an LSTM is two tensors, not " + ToString(m["hx"]));
  List states;
  states.items.push_back(net.State(given ? given->items[0] : Value(), input, net.real_hidden()));
  states.items.push_back(net.State(given ? given->items[1] : Value(), input, net.hidden()));
  Value all = net.Run("aten::lstm.input", states);
  const std::vector<Value>& results = AsItems(all);
  List last{{net.Unbatch(results[1], 1), net.Unbatch(results[2], 1)}, true};
  return List{{net.Unbatch(results[0], net.BatchDim()), Value(last)}, true};
}

void CellTensors(ModuleInstance& m, Gates gates) {
  const Dim hidden = m.names().Int("hidden_size"), rows = Dim(gates) * hidden;
  m.Parameter("weight_ih", {rows, m.names().Int("input_size")});
  m.Parameter("weight_hh", {rows, hidden});
  if (m.names().Bool("bias")) {
    m.Parameter("bias_ih", {rows});
    m.Parameter("bias_hh", {rows});
  } else {
    m.SetNone("bias_ih");
    m.SetNone("bias_hh");
  }
}
void RnnCellTensors(ModuleInstance& m) { CellTensors(m, kPlain); }
void GruCellTensors(ModuleInstance& m) { CellTensors(m, kGru); }
void LstmCellTensors(ModuleInstance& m) { CellTensors(m, kLstm); }

// One step of a cell: a batch of one for an input without any.
class Cell {
 public:
  explicit Cell(ModuleInstance& m) : m_(m) {
    const int64_t rank = m.names().TensorOf("input").meta.rank();
    if (rank != 1 && rank != 2)
      Fail(ErrorClass::kValueError,
          "a cell takes an input of rank 1 or 2, not " + ToString(m.names().TensorOf("input").meta));
    batched_ = rank == 2;
  }

  Value Batch(const Value& v) { return batched_ ? v : m_.Call("aten.unsqueeze", {v, Value(0)}); }
  Value Unbatch(const Value& v) { return batched_ ? v : m_.Call("aten.squeeze", {v, Value(0)}); }

  Value State(const Value& given, const Value& input) {
    if (!given.IsNone()) return Batch(given);
    return Zeros(m_, {SizeIn(AsTensor(input).meta, 0), m_.names().Int("hidden_size")});
  }

  Value Run(const std::string& op, const Value& input, const Value& state) {
    return m_.python().Operator(op, {input, state, m_["weight_ih"], m_["weight_hh"], m_["bias_ih"], m_["bias_hh"]});
  }

 private:
  ModuleInstance& m_;
  bool batched_ = true;
};

Value OneStateCell(ModuleInstance& m, const std::string& op) {
  Cell cell(m);
  const Value input = cell.Batch(m["input"]);
  return cell.Unbatch(cell.Run(op, input, cell.State(m["hx"], input)));
}
Value RnnCell(ModuleInstance& m) {
  return OneStateCell(m, m.names().String("nonlinearity") == "relu" ? "aten::rnn_relu_cell" : "aten::rnn_tanh_cell");
}
Value GruCell(ModuleInstance& m) { return OneStateCell(m, "aten::gru_cell"); }

Value LstmCell(ModuleInstance& m) {
  Cell cell(m);
  const Value input = cell.Batch(m["input"]);
  const List* given = m["hx"].TryList();
  List states;
  if (given) {
    for (const Value& state : given->items) states.items.push_back(cell.Batch(state));
  } else {
    const Value zeros = cell.State(Value(), input);
    states.items = {zeros, zeros};
  }
  const Value both = cell.Run("aten::lstm_cell", input, states);
  const std::vector<Value>& results = AsItems(both);
  return List{{cell.Unbatch(results[0]), cell.Unbatch(results[1])}, true};
}

constexpr ModuleRow kRows[] = {
    {"RNN(input_size, hidden_size, num_layers=1, nonlinearity='tanh', bias=True, batch_first=False, dropout=0.0,"
     " bidirectional=False, proj_size=0, device=None, dtype=None)",
        "input, hx=None", {}, nullptr, Rnn},
    {"GRU(input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False, "
     "proj_size=0,"
     " device=None, dtype=None)",
        "input, hx=None", {}, nullptr, Gru},
    {"LSTM(input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False, "
     "proj_size=0,"
     " device=None, dtype=None)",
        "input, hx=None", {}, nullptr, Lstm},
    {"RNNCell(input_size, hidden_size, bias=True, nonlinearity='tanh', device=None, dtype=None)", "input, hx=None", {},
        RnnCellTensors, RnnCell},
    {"GRUCell(input_size, hidden_size, bias=True, device=None, dtype=None)", "input, hx=None", {}, GruCellTensors,
        GruCell},
    {"LSTMCell(input_size, hidden_size, bias=True, device=None, dtype=None)", "input, hx=None", {}, LstmCellTensors,
        LstmCell},
};

}  // namespace

std::span<const ModuleRow> RecurrentModules() { return kRows; }

}  // namespace fakeprop
