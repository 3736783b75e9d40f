#include "lib/json/json_parse.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fakeprop {
namespace {

// "place: message", or empty where the text is fine.
std::string ErrorOf(std::string_view text) {
  try {
    ParseJson(text);
    return "";
  } catch (const JsonError& error) {
    return error.place + ": " + error.message;
  }
}

TEST(JsonParse, Errors) {
  constexpr std::pair<std::string_view, std::string_view> kRows[] = {
      {"", "byte 0: the JSON ends too early: is the file cut off?"},
      {"{\"a\": ", "byte 5: the JSON ends too early: is the file cut off?"},
      {"{\"a\": [1, 2", "byte 10: the JSON ends too early: is the file cut off?"},
      {"{\"a\": \"b", "byte 7: the JSON ends too early: is the file cut off?"},
      {"[tru", "byte 3: the JSON ends too early: is the file cut off?"},
      {"[truth]", "byte 4: the JSON is malformed: invalid literal"},
      {"[1,]", "byte 3: the JSON is malformed: unexpected ']'; expected '[', '{', or a literal"},
      {"[1 2]", "byte 4: the JSON is malformed: unexpected number literal; expected ']'"},
      {"[1] x", "byte 4: the JSON is malformed: invalid literal; expected end of input"},
      {"[1]\n\n[2]", "byte 5 (line 3): the JSON is malformed: unexpected '['; expected end of input"},
      {"{1: 2}", "byte 2: the JSON is malformed: unexpected number literal; expected string literal"},
      {"[NaN]", "byte 1: the JSON is malformed: invalid literal"},
      {"[1e999]", "byte 6: the JSON is malformed: number overflow parsing '1e999'"},
      {"[01]", "byte 3: the JSON is malformed: unexpected number literal; expected ']'"},
      {"[\"\x01\"]",
          "byte 2: the JSON is malformed: invalid string: control character U+0001 (SOH) must be escaped to "
          "\\u0001"},
      {"[\"\xff\"]", "byte 2: the JSON is malformed: invalid string: ill-formed UTF-8 byte"},
      {"[\"\xc3(\"]", "byte 3: the JSON is malformed: invalid string: ill-formed UTF-8 byte"},
      {"[\"\\ud800\"]",
          "byte 8: the JSON is malformed: invalid string: surrogate U+D800..U+DBFF must be followed by "
          "U+DC00..U+DFFF"},
      {"{\"a\": 1, \"b\": 2, \"a\": 3}", "byte 23: an object has the name `a` twice"},
  };
  for (const auto& [text, error] : kRows) EXPECT_EQ(ErrorOf(text), error) << text;
}

TEST(JsonParse, DuplicateAmongManyNames) {
  std::string text = "{";
  for (int i = 0; i < 100; ++i) text += "\"n" + std::to_string(i) + "\": 0, ";
  EXPECT_EQ(ErrorOf(text + "\"m\": 0}"), "");
  EXPECT_EQ(
      ErrorOf(text + "\"n7\": 0}"), "byte " + std::to_string(text.size() + 7) + ": an object has the name `n7` twice");
}

TEST(JsonParse, DeepNestingFailsAtOnce) {
  EXPECT_EQ(ErrorOf(std::string(500, '[') + std::string(500, ']')), "");
  EXPECT_EQ(ErrorOf(std::string(501, '[') + std::string(501, ']')), "byte 500: nested deeper than 500 levels");
  EXPECT_EQ(ErrorOf(std::string(100'000'000, '[')), "byte 500: nested deeper than 500 levels");
  std::string objects;
  for (int i = 0; i < 1000; ++i) objects += "{\"a\":";
  EXPECT_EQ(ErrorOf(objects), "byte 2500: nested deeper than 500 levels");
}

TEST(JsonParse, EveryTruncationIsAnError) {
  const std::string text = R"({"a": [1, -2.5e3, "x\u00e9\n", true, null, {"b": {}}], "c": 12})";
  for (size_t size = 0; size < text.size(); ++size)
    EXPECT_EQ(ErrorOf(text.substr(0, size)).find("byte"), 0) << text.substr(0, size);
  EXPECT_EQ(ErrorOf(text), "");
}

TEST(PythonJson, HasNumbersThatJsonLacks) {
  const JsonTree tree =
      ParsePythonJson(R"({"a": Infinity, "b": [-Infinity, NaN, 1], "c": "Infinity and \"NaN\\", "NaN": -2})");
  const JsonValue root = tree.root();
  EXPECT_EQ(root.Get("a").AsReal(), INFINITY);
  EXPECT_EQ((*root.Get("b").begin()).AsReal(), -INFINITY);
  EXPECT_EQ((*root.Get("b").begin()).kind(), JsonKind::kReal);
  EXPECT_TRUE(std::isnan((*++root.Get("b").begin()).AsReal()));
  EXPECT_EQ(root.Get("c").AsString(), "Infinity and \"NaN\\");
  EXPECT_EQ(root.Get("NaN").AsInt(), -2);
}

TEST(PythonJson, ErrorsCountTheTextAsItWasWritten) {
  const auto error_of = [](std::string_view text) {
    try {
      ParsePythonJson(text);
    } catch (const JsonError& error) {
      return error.place;
    }
    return std::string();
  };
  EXPECT_EQ(error_of("[NaN, Infinity, wrong]"), "byte 16");
  EXPECT_EQ(error_of("[Infinityy]"), "byte 9");
  EXPECT_EQ(error_of("[\"NaN"), "byte 4");
  EXPECT_EQ(error_of("{NaN: 1}"), "byte 3");
}

TEST(JsonTree, Values) {
  JsonTree tree = ParseJson(R"({"i": -9223372036854775808, "big": 9223372036854775808, "r": 2.0, "b": true,
                               "s": "a\"\u00e9", "inf": "-Infinity", "none": null, "list": [1, [], {"x/y~": 7}]})");
  JsonValue root = tree.root();
  EXPECT_EQ(root.size(), 8);
  EXPECT_EQ(root.Get("i").AsInt(), INT64_MIN);
  EXPECT_EQ(root.Get("big").AsReal(), 9223372036854775808.0);
  EXPECT_EQ(root.Get("r").AsReal(), 2.0);
  EXPECT_TRUE(root.Get("b").AsBool());
  EXPECT_EQ(root.Get("s").AsString(), "a\"\u00e9");
  EXPECT_EQ(root.Get("inf").AsReal(), -INFINITY);
  EXPECT_TRUE(root.Get("none").IsNull());
  EXPECT_FALSE(root.Find("none"));
  EXPECT_FALSE(root.Find("missing"));
  size_t items = 0;
  for (JsonValue item : root.Get("list").AsArray()) items += 1 + item.size();
  EXPECT_EQ(items, 4);
}

TEST(JsonTree, ErrorsSayWhereAndWhat) {
  JsonTree tree = ParseJson(R"({"a": [0, {"x/y~": "text"}, 1.5, 9223372036854775808, {}, []]})");
  JsonValue list = tree.root().Get("a");
  auto error_of = [](auto read) {
    try {
      read();
    } catch (const JsonError& error) {
      return error.place + ": " + error.message;
    }
    return std::string();
  };
  auto item = [&](int i) {
    JsonValue::Iterator at = list.begin();
    while (i-- > 0) ++at;
    return *at;
  };
  EXPECT_EQ(error_of([&] { item(0).AsString(); }), "/a/0: expected a string but found 0");
  EXPECT_EQ(
      error_of([&] { item(1).Get("x/y~").AsInt(); }), "/a/1/x~1y~0: expected an integer but found the string `text`");
  EXPECT_EQ(error_of([&] { item(1).Get("z"); }), "/a/1: the field `z` is missing");
  EXPECT_EQ(error_of([&] { item(2).AsInt(); }), "/a/2: expected an integer but found 1.5");
  EXPECT_EQ(error_of([&] { item(3).AsInt(); }), "/a/3: expected an integer but found an integer beyond 64 bits");
  EXPECT_EQ(error_of([&] { item(4).AsArray(); }), "/a/4: expected an array but found an empty object");
  EXPECT_EQ(error_of([&] { item(5).Get("a"); }), "/a/5: expected an object but found an empty array");
  EXPECT_EQ(error_of([&] { tree.root().AsBool(); }), ": expected true or false but found an object");
}

TEST(Quote, IsShortAndPrintable) {
  EXPECT_EQ(Quote("abc"), "`abc`");
  EXPECT_EQ(Quote("a\nb"), "`a\\x0ab`");
  EXPECT_EQ(Quote(std::string(59, 'a') + "\u00e9\u00e9"), "`" + std::string(59, 'a') + "...`");
}

}  // namespace
}  // namespace fakeprop
