#include "lib/archive/pickle.h"

#include <gtest/gtest.h>

namespace fakeprop {
namespace {

using namespace std::string_literals;

bool IsKnown(std::string_view global) {
  return global == "collections.OrderedDict" || global.starts_with("__torch__.");
}

// What a pickle would build, as Python prints it.
std::string Text(const Pickle& pickle, PickleIndex index, int depth = 0) {
  const PickleItem& item = pickle[index];
  if (depth > 20) return "...";
  std::string items;
  for (size_t i = 0; i < item.children.size(); ++i) {
    const bool is_value = item.kind == PickleItem::Kind::kDict && i % 2;
    items += (i == 0 ? "" : is_value ? ": " : ", ") + Text(pickle, item.children[i], depth + 1);
  }
  switch (item.kind) {
    case PickleItem::Kind::kNone: return "None";
    case PickleItem::Kind::kBool: return item.integer ? "True" : "False";
    case PickleItem::Kind::kInt: return std::to_string(item.integer);
    case PickleItem::Kind::kFloat: return std::to_string(item.real);
    case PickleItem::Kind::kString: return "'" + item.text + "'";
    case PickleItem::Kind::kBytes: return "b'" + item.text + "'";
    case PickleItem::Kind::kTuple: return "(" + items + ")";
    case PickleItem::Kind::kList: return "[" + items + "]";
    case PickleItem::Kind::kDict: return "{" + items + "}";
    case PickleItem::Kind::kGlobal: return item.text;
    case PickleItem::Kind::kPersistent: return "kept" + Text(pickle, item.children.at(0), depth + 1);
    case PickleItem::Kind::kObject: break;
  }
  std::string text = Text(pickle, item.callee, depth + 1) + Text(pickle, item.arguments, depth + 1);
  if (!items.empty()) text += "[" + items + "]";
  if (item.state != kNoItem) text += " with " + Text(pickle, item.state, depth + 1);
  return text;
}

std::string Read(std::string_view bytes) {
  try {
    const Pickle pickle = Pickle::Read(bytes, IsKnown);
    return Text(pickle, pickle.root());
  } catch (const PickleError& error) {
    return "byte " + std::to_string(error.byte) + ": " + error.message;
  }
}

TEST(Pickle, Values) {
  // pickle.dumps((None, True, -1, 300, 2**40, 0.5, "ab", [1, {"k": ()}]), protocol=2)
  EXPECT_EQ(Read("\x80\x02(N\x88J\xff\xff\xff\xffM\x2c\x01\x8a\x06\0\0\0\0\0\x01G?\xe0\0\0\0\0\0\0X\x02\0\0\0abq\0]"
                 "q\x01(K\x01}q"
                 "\x02X\x01\0\0\0kq\x03)setq\x04."s),
      "(None, True, -1, 300, 1099511627776, 0.500000, 'ab', [1, {'k': ()}])");
  // protocol=4, of ["x", "x", b"y"]
  EXPECT_EQ(Read("\x80\x04\x95\x0e\0\0\0\0\0\0\0]\x94(\x8c\x01x\x94h\x01"
                 "C\x01y\x94"
                 "e."s),
      "['x', 'x', b'y']");
  EXPECT_EQ(Read("\x80\x02]q\0h\0a."s), "[[[[[[[[[[[[[[[[[[[[[...]]]]]]]]]]]]]]]]]]]]]");
}

TEST(Pickle, Objects) {
  EXPECT_EQ(Read("\x80\x02"
                 "c__torch__.m\nNet\nq\0)\x81}X\x01\0\0\0wK\x02sb."s),
      "__torch__.m.Net() with {'w': 2}");
  EXPECT_EQ(Read("\x80\x02"
                 "ccollections\nOrderedDict\n)R(K\x01K\x02u(K\x03K\x04u."s),
      "collections.OrderedDict()[1, 2, 3, 4]");
  EXPECT_EQ(Read("\x80\x02"
                 "U\x07storageK\x03\x86Q."s),
      "kept('storage', 3)");
}

TEST(Pickle, NamesNothingThatIsNotAllowed) {
  EXPECT_EQ(Read("\x80\x02"
                 "cos\nsystem\nX\x02\0\0\0ls\x85R."s),
      "byte 13: the pickle names `os.system`, which no model needs; nothing of it was looked up or called");
  EXPECT_EQ(Read("\x80\x04\x8c\x02os\x8c\x06system\x93."s),
      "byte 15: the pickle names `os.system`, which no model needs; nothing of it was looked up or called");
}

TEST(Pickle, SurvivesDamage) {
  const std::string whole =
      "\x80\x02(N\x88J\xff\xff\xff\xff\x8a\x06\0\0\0\0\0\x01"
      "X\x02\0\0\0abq\0]q\x01(K\x01}q\x02X\x01\0\0\0kq\x03)setq\x04."s;
  EXPECT_EQ(Read(""), "byte 0: the pickle is cut off");
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_TRUE(Read(whole.substr(0, size)).starts_with("byte ")) << size;
  for (size_t at = 0; at < whole.size(); ++at)
    for (int byte = 0; byte < 256; ++byte) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(byte);
      Read(damaged);
    }
  EXPECT_EQ(Read("X\xff\xff\xff\x7f"s), "byte 5: the pickle is cut off");
  EXPECT_EQ(Read("}K\x01"
                 "a."s),
      "byte 4: the pickle adds items to what is no list");
  EXPECT_EQ(Read("0."s), "byte 1: the pickle takes an object that is not there");
  EXPECT_EQ(Read("\x8a\x09\0\0\0\0\0\0\0\0\x01."s), "byte 11: an integer of 9 bytes does not fit into 64 bits");
}

}  // namespace
}  // namespace fakeprop
