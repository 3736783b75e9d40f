#include "lib/json/json_writer.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "lib/base/check.h"

namespace fakeprop {
namespace {

using Steps = std::function<void(JsonWriter&)>;

std::string Text(const Steps& steps) {
  JsonWriter json;
  steps(json);
  return json.Take();
}

std::string StringText(std::string_view text) {
  return Text([&](JsonWriter& json) { json.String(text); });
}

std::string FloatText(double value) {
  return Text([&](JsonWriter& json) { json.Float(value); });
}

TEST(JsonWriter, Strings) {
  EXPECT_EQ(StringText(""), R"("")");
  EXPECT_EQ(StringText("a\"b\\c\n\t\r"), R"("a\"b\\c\n\t\r")");
  EXPECT_EQ(StringText("größe 大"), "\"größe 大\"");
}

TEST(JsonWriter, ControlCharactersAreEscaped) {
  EXPECT_EQ(StringText(std::string_view("\0\x01\b\f\x1f", 5)), R"("\u0000\u0001\u0008\u000c\u001f")");
  EXPECT_EQ(StringText("\x7f"), "\"\x7f\"");
}

TEST(JsonWriter, BytesThatAreNotUtf8BecomeReplacementCharacters) {
  EXPECT_EQ(StringText("a\xff"
                       "b\xe5\xa4"),
      "\"a\xef\xbf\xbd"
      "b\xef\xbf\xbd\xef\xbf\xbd\"");
  EXPECT_EQ(StringText("\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");  // a lone surrogate
}

// Eight bytes are looked at together.
TEST(JsonWriter, EscapesAtEveryPlace) {
  const std::pair<char, std::string> kEscapes[] = {{'"', "\\\""}, {'\\', "\\\\"}, {'\x1f', "\\u001f"},
      {'\0', "\\u0000"}, {'\x80', "\xef\xbf\xbd"}, {'\xff', "\xef\xbf\xbd"}};
  for (const auto& [c, escape] : kEscapes) {
    for (size_t at = 0; at < 20; ++at) {
      const std::string front(at, ' '), back(20 - at, '~');
      EXPECT_EQ(StringText(front + c + back), '"' + front + escape + back + '"') << at;
    }
  }
}

TEST(JsonWriter, EveryPlainCharacterStaysAsItIs) {
  for (int c = 0x20; c < 0x80; ++c) {
    if (c == '"' || c == '\\') continue;
    const std::string text(9, static_cast<char>(c));
    EXPECT_EQ(StringText(text), '"' + text + '"');
  }
}

TEST(JsonWriter, LongTexts) {
  const std::string word(100, 'a');
  std::string expected = "[";
  const std::string text = Text([&](JsonWriter& json) {
    json.BeginArray();
    for (int i = 0; i < 1000; ++i) {
      json.String(word);
      expected += (i ? ", \"" : "\"") + word + '"';
    }
    json.EndArray();
  });
  EXPECT_EQ(text, expected + "]");
}

TEST(JsonWriter, Integers) {
  EXPECT_EQ(Text([](JsonWriter& json) { json.Int(0); }), "0");
  EXPECT_EQ(Text([](JsonWriter& json) { json.Int(std::numeric_limits<int64_t>::min()); }), "-9223372036854775808");
  EXPECT_EQ(Text([](JsonWriter& json) { json.Int(std::numeric_limits<int64_t>::max()); }), "9223372036854775807");
}

TEST(JsonWriter, FloatsHaveAPointOrAnExponent) {
  EXPECT_EQ(FloatText(1), "1.0");
  EXPECT_EQ(FloatText(-0.0), "-0.0");
  EXPECT_EQ(FloatText(0.1), "0.1");
  EXPECT_EQ(FloatText(1e22), "1e+22");
  EXPECT_EQ(FloatText(1e-05), "1e-05");
  EXPECT_EQ(FloatText(16777216.0), "16777216.0");
}

TEST(JsonWriter, FloatsThatJsonLacksAreObjects) {
  EXPECT_EQ(FloatText(std::numeric_limits<double>::infinity()), R"({"type": "float", "value": "Infinity"})");
  EXPECT_EQ(FloatText(-std::numeric_limits<double>::infinity()), R"({"type": "float", "value": "-Infinity"})");
  EXPECT_EQ(FloatText(std::numeric_limits<double>::quiet_NaN()), R"({"type": "float", "value": "NaN"})");
}

TEST(JsonWriter, OneLine) {
  EXPECT_EQ(Text([](JsonWriter& json) {
    json.BeginObject();
    json.KeyOf("a\n").Null();
    json.Key("b").Array(std::vector{true, false}, [&](bool item) { json.Bool(item); });
    json.Key("c").BeginArray();
    json.Number("1.50");
    json.BeginObject();
    json.EndObject();
    json.BeginArray();
    json.EndArray();
    json.EndArray();
    json.EndObject();
  }),
      R"({"a\n": null, "b": [true, false], "c": [1.50, {}, []]})");
}

TEST(JsonWriter, NewLinesComeBeforeItemsMembersAndBrackets) {
  EXPECT_EQ(Text([](JsonWriter& json) {
    json.BeginObject();
    json.NewLine(2);
    json.Key("lines").Array(std::vector{1, 2}, [&](int item) {
      json.NewLine(4);
      json.Int(item);
    });
    json.NewLine(1);
    json.Key("line").Array(std::vector{3, 4}, [&](int item) { json.Int(item); });
    json.Key("empty").BeginArray();
    json.NewLine(2);
    json.EndArray();
    json.NewLine(0);
    json.EndObject();
  }),
      "{\n"
      "  \"lines\": [\n"
      "    1,\n"
      "    2],\n"
      " \"line\": [3, 4], \"empty\": [\n"
      "  ]\n"
      "}");
}

TEST(JsonWriter, IsEmptyAfterTake) {
  JsonWriter json;
  json.Reserve(100);
  json.Int(1);
  EXPECT_EQ(json.Take(), "1");
  json.Int(2);
  EXPECT_EQ(json.Take(), "2");
}

struct Misuse {
  const char* what;
  Steps steps;
};

const Misuse kMisuses[] = {
    {"nothing", [](JsonWriter&) {}},
    {"two values",
        [](JsonWriter& json) {
          json.Int(1);
          json.Int(2);
        }},
    {"an open object", [](JsonWriter& json) { json.BeginObject(); }},
    {"an open array", [](JsonWriter& json) { json.BeginArray(); }},
    {"a bracket too many", [](JsonWriter& json) { json.EndArray(); }},
    {"the wrong bracket",
        [](JsonWriter& json) {
          json.BeginArray();
          json.EndObject();
        }},
    {"a key outside of objects", [](JsonWriter& json) { json.Key("a"); }},
    {"a key in an array",
        [](JsonWriter& json) {
          json.BeginArray();
          json.Key("a");
        }},
    {"two keys for a value",
        [](JsonWriter& json) {
          json.BeginObject();
          json.Key("a").Key("b");
        }},
    {"a key without a value",
        [](JsonWriter& json) {
          json.BeginObject();
          json.Key("a");
          json.EndObject();
        }},
    {"a member without a key",
        [](JsonWriter& json) {
          json.BeginObject();
          json.Int(1);
        }},
    {"an object without a key",
        [](JsonWriter& json) {
          json.BeginObject();
          json.BeginObject();
        }},
    {"a line between a key and its value",
        [](JsonWriter& json) {
          json.BeginObject();
          json.Key("a");
          json.NewLine(2);
        }},
    {"a line outside of the value", [](JsonWriter& json) { json.NewLine(2); }},
};

TEST(JsonWriter, RefusesWhatIsNotJson) {
  for (const Misuse& misuse : kMisuses) EXPECT_THROW(Text(misuse.steps), InternalError) << misuse.what;
}

}  // namespace
}  // namespace fakeprop
