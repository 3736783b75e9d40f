#include "lib/archive/pickle.h"

#include <bit>
#include <cstring>
#include <optional>
#include <unordered_map>

namespace fakeprop {
namespace {

// Opcodes, as pickletools names them.
enum Opcode : uint8_t {
  kMark = '(',
  kStop = '.',
  kPop = '0',
  kPopMark = '1',
  kDup = '2',
  kBinFloat = 'G',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kNone = 'N',
  kBinPersistentId = 'Q',
  kReduce = 'R',
  kBinString = 'T',
  kShortBinString = 'U',
  kBinUnicode = 'X',
  kAppend = 'a',
  kBuild = 'b',
  kGlobal = 'c',
  kAppends = 'e',
  kBinGet = 'h',
  kLongBinGet = 'j',
  kEmptyList = ']',
  kEmptyTuple = ')',
  kEmptyDict = '}',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kSetItem = 's',
  kTuple = 't',
  kSetItems = 'u',
  kBinBytes = 'B',
  kShortBinBytes = 'C',
  kList = 'l',
  kDict = 'd',
  kProto = 0x80,
  kNewObj = 0x81,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kLong1 = 0x8a,
  kShortBinUnicode = 0x8c,
  kBinUnicode8 = 0x8d,
  kBinBytes8 = 0x8e,
  kStackGlobal = 0x93,
  kMemoize = 0x94,
  kFrame = 0x95,
};

constexpr size_t kMostItems = size_t{1} << 24;

}  // namespace

using Kind = PickleItem::Kind;

// The stack machine that a pickle is a program of.
class PickleMachine {
 public:
  PickleMachine(std::string_view bytes, bool (*allowed)(std::string_view)) : bytes_(bytes), allowed_(allowed) {}

  Pickle Run() {
    while (!Step(Take<uint8_t>())) {}
    pickle_.root_ = Pop();
    return std::move(pickle_);
  }

 private:
  [[noreturn]] void Fail(std::string message) const { throw PickleError{at_, std::move(message)}; }

  // ---- bytes
  std::string_view TakeBytes(uint64_t count) {
    if (count > bytes_.size() - at_) Fail("the pickle is cut off");
    const std::string_view taken = bytes_.substr(at_, count);
    at_ += count;
    return taken;
  }
  template <typename T>
  T Take() {
    T value;
    std::memcpy(&value, TakeBytes(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string_view TakeLine() {
    const size_t end = bytes_.find('\n', at_);
    if (end == std::string_view::npos) Fail("the pickle is cut off");
    const std::string_view line = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return line;
  }
  double TakeBigEndianDouble() { return std::bit_cast<double>(__builtin_bswap64(Take<uint64_t>())); }
  int64_t TakeLong() {
    const std::string_view digits = TakeBytes(Take<uint8_t>());
    if (digits.size() > 8) Fail("an integer of " + std::to_string(digits.size()) + " bytes does not fit into 64 bits");
    uint64_t value = !digits.empty() && (digits.back() & 0x80) ? ~uint64_t{0} : 0;
    for (size_t i = digits.size(); i-- > 0;) value = value << 8 | static_cast<uint8_t>(digits[i]);
    return static_cast<int64_t>(value);
  }

  // ---- stack
  PickleIndex Push(PickleItem item) {
    if (pickle_.items_.size() == kMostItems) Fail("the pickle makes more than 16 million objects");
    pickle_.items_.push_back(std::move(item));
    stack_.push_back(static_cast<PickleIndex>(pickle_.items_.size() - 1));
    return stack_.back();
  }
  PickleIndex Pop() {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) Fail("the pickle takes an object that is not there");
    const PickleIndex top = stack_.back();
    stack_.pop_back();
    return top;
  }
  PickleIndex Top() {
    const PickleIndex top = Pop();
    stack_.push_back(top);
    return top;
  }
  std::vector<PickleIndex> PopLast(size_t count) {
    std::vector<PickleIndex> items(count);
    for (size_t i = count; i-- > 0;) items[i] = Pop();
    return items;
  }
  std::vector<PickleIndex> PopToMark() {
    if (marks_.empty()) Fail("the pickle goes back to a mark that is not there");
    std::vector<PickleIndex> items(stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back()), stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return items;
  }
  PickleItem& TopOfKind(Kind kind, const char* what) {
    PickleItem& item = pickle_.items_[Top()];
    // What a call gives, such as an OrderedDict, takes items as well.
    if (item.kind != kind && item.kind != Kind::kObject)
      Fail(std::string("the pickle adds items to what is no ") + what);
    return item;
  }

  // ---- what opcodes do
  void PushNumber(int64_t value) { Push({.kind = Kind::kInt, .integer = value}); }
  void PushBool(bool value) { Push({.kind = Kind::kBool, .integer = value}); }
  void PushText(Kind kind, uint64_t size) { Push({.kind = kind, .text = std::string(TakeBytes(size))}); }
  void PushItems(Kind kind, std::vector<PickleIndex> items) { Push({.kind = kind, .children = std::move(items)}); }
  void PushLast(Kind kind, size_t count) { PushItems(kind, PopLast(count)); }
  void PushGlobal(std::string name) {
    if (!allowed_(name))
      Fail("the pickle names `" + name + "`, which no model needs; nothing of it was looked up or called");
    Push({.kind = Kind::kGlobal, .text = std::move(name)});
  }
  void PushNamedGlobal() {
    const std::string module(TakeLine());
    PushGlobal(module + "." + std::string(TakeLine()));
  }
  void PushStackGlobal() {
    const std::string name = pickle_.items_[Pop()].text;
    PushGlobal(pickle_.items_[Pop()].text + "." + name);
  }
  void Extend(Kind kind, const char* what, const std::vector<PickleIndex>& items) {
    PickleItem& container = TopOfKind(kind, what);
    if (kind == Kind::kDict && items.size() % 2) Fail("the pickle gives a key without a value");
    container.children.insert(container.children.end(), items.begin(), items.end());
  }
  void Build() {
    const PickleIndex state = Pop();
    PickleItem& object = pickle_.items_[Top()];
    if (object.kind != Kind::kObject) Fail("the pickle sets the state of what is no object");
    object.state = state;
  }
  void Call() {
    PickleItem object{.kind = Kind::kObject};
    object.arguments = Pop();
    object.callee = Pop();
    Push(std::move(object));
  }
  void Put(uint64_t key) { memo_[key] = Top(); }
  void Get(uint64_t key) {
    auto it = memo_.find(key);
    if (it == memo_.end()) Fail("the pickle remembers nothing under " + std::to_string(key));
    stack_.push_back(it->second);
  }

  // One opcode; true at the end.
  bool Step(uint8_t opcode) {
    switch (opcode) {
      case kStop: return true;
      case kProto: TakeBytes(1); break;
      case kFrame: TakeBytes(8); break;
      case kMark: marks_.push_back(stack_.size()); break;
      case kPop: Pop(); break;
      case kPopMark: PopToMark(); break;
      case kDup: stack_.push_back(Top()); break;
      case kNone: Push({}); break;
      case kNewTrue: PushBool(true); break;
      case kNewFalse: PushBool(false); break;
      case kBinInt: PushNumber(Take<int32_t>()); break;
      case kBinInt1: PushNumber(Take<uint8_t>()); break;
      case kBinInt2: PushNumber(Take<uint16_t>()); break;
      case kLong1: PushNumber(TakeLong()); break;
      case kBinFloat: Push({.kind = Kind::kFloat, .real = TakeBigEndianDouble()}); break;
      case kBinString:
      case kBinUnicode: PushText(Kind::kString, Take<uint32_t>()); break;
      case kShortBinString:
      case kShortBinUnicode: PushText(Kind::kString, Take<uint8_t>()); break;
      case kBinUnicode8: PushText(Kind::kString, Take<uint64_t>()); break;
      case kBinBytes: PushText(Kind::kBytes, Take<uint32_t>()); break;
      case kShortBinBytes: PushText(Kind::kBytes, Take<uint8_t>()); break;
      case kBinBytes8: PushText(Kind::kBytes, Take<uint64_t>()); break;
      case kEmptyTuple: PushItems(Kind::kTuple, {}); break;
      case kTuple: PushItems(Kind::kTuple, PopToMark()); break;
      case kTuple1: PushLast(Kind::kTuple, 1); break;
      case kTuple2: PushLast(Kind::kTuple, 2); break;
      case kTuple3: PushLast(Kind::kTuple, 3); break;
      case kEmptyList: PushItems(Kind::kList, {}); break;
      case kList: PushItems(Kind::kList, PopToMark()); break;
      case kEmptyDict: PushItems(Kind::kDict, {}); break;
      case kDict: PushItems(Kind::kDict, PopToMark()); break;
      case kAppend: Extend(Kind::kList, "list", PopLast(1)); break;
      case kAppends: Extend(Kind::kList, "list", PopToMark()); break;
      case kSetItem: Extend(Kind::kDict, "dict", PopLast(2)); break;
      case kSetItems: Extend(Kind::kDict, "dict", PopToMark()); break;
      case kGlobal: PushNamedGlobal(); break;
      case kStackGlobal: PushStackGlobal(); break;
      case kReduce:
      case kNewObj: Call(); break;
      case kBuild: Build(); break;
      case kBinPersistentId: PushLast(Kind::kPersistent, 1); break;
      case kBinPut: Put(Take<uint8_t>()); break;
      case kLongBinPut: Put(Take<uint32_t>()); break;
      case kMemoize: Put(memo_.size()); break;
      case kBinGet: Get(Take<uint8_t>()); break;
      case kLongBinGet: Get(Take<uint32_t>()); break;
      default: Fail("no pickle of PyTorch has the opcode " + std::to_string(opcode));
    }
    return false;
  }

  std::string_view bytes_;
  bool (*allowed_)(std::string_view);
  size_t at_ = 0;
  Pickle pickle_;
  std::vector<PickleIndex> stack_;
  std::vector<size_t> marks_;  // sizes of the stack
  std::unordered_map<uint64_t, PickleIndex> memo_;
};

Pickle Pickle::Read(std::string_view bytes, bool (*allowed)(std::string_view global)) {
  return PickleMachine(bytes, allowed).Run();
}

PickleIndex Pickle::Append(Pickle other) {
  const PickleIndex first = static_cast<PickleIndex>(items_.size());
  for (PickleItem& item : other.items_) {
    for (PickleIndex* index : {&item.callee, &item.arguments, &item.state})
      if (*index != kNoItem) *index += first;
    for (PickleIndex& child : item.children) child += first;
    items_.push_back(std::move(item));
  }
  return first + other.root_;
}

std::string_view Pickle::CalleeOf(const PickleItem& item) const {
  if (item.kind != Kind::kObject || items_[item.callee].kind != Kind::kGlobal) return {};
  return items_[item.callee].text;
}

}  // namespace fakeprop
