#include "lib/json/json_writer.h"

#include <cmath>

#include "lib/base/check.h"
#include "lib/json/json_text.h"

namespace fakeprop {

JsonWriter& JsonWriter::KeyOf(std::string_view key) {
  BeforeKey();
  AppendString(key, out_);
  out_.Append(": ");
  return *this;
}

void JsonWriter::String(std::string_view text) {
  BeforeValue();
  AppendString(text, out_);
}

void JsonWriter::Int(int64_t value) {
  BeforeValue();
  AppendInt(value, out_);
}

void JsonWriter::Float(double value) {
  if (std::isfinite(value)) {
    BeforeValue();
    AppendFloat(value, out_);
    return;
  }
  BeginObject();
  Key("type").String("float");
  Key("value").String(std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
  EndObject();
}

void JsonWriter::Number(std::string_view spelling) {
  BeforeValue();
  out_.Append(spelling);
}

void JsonWriter::Bool(bool value) {
  BeforeValue();
  out_.Append(value ? "true" : "false");
}

void JsonWriter::Null() {
  BeforeValue();
  out_.Append("null");
}

void JsonWriter::NewLine(size_t indent) {
  FAKEPROP_CHECK(level_.container != Container::kNone && !has_key_);
  breaks_line_ = true;
  indent_ = indent;
}

std::string JsonWriter::Take() {
  FAKEPROP_CHECK(level_.container == Container::kNone && level_.has_items);
  level_ = {};
  return out_.Take();
}

void JsonWriter::Begin(Container container, char bracket) {
  BeforeValue();
  out_.Append(bracket);
  outer_.push_back(level_);
  level_ = {container};
}

void JsonWriter::End(Container container, char bracket) {
  FAKEPROP_CHECK(level_.container == container && !has_key_);
  if (breaks_line_) BreakLine();
  out_.Append(bracket);
  level_ = outer_.back();
  outer_.pop_back();
}

inline void JsonWriter::Separate() {
  if (level_.has_items) {
    out_.Append(',');
    if (!breaks_line_) out_.Append(' ');
  }
  if (breaks_line_) BreakLine();
  level_.has_items = true;
}

void JsonWriter::BeforeKey() {
  FAKEPROP_CHECK(level_.container == Container::kObject && !has_key_);
  Separate();
  has_key_ = true;
}

void JsonWriter::BeforeItem() {
  FAKEPROP_CHECK(level_.container == Container::kArray || (level_.container == Container::kNone && !level_.has_items));
  Separate();
}

void JsonWriter::BreakLine() {
  out_.Append('\n');
  out_.Append(indent_, ' ');
  breaks_line_ = false;
}

}  // namespace fakeprop
