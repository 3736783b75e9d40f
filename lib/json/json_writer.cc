#include "lib/json/json_writer.h"

#include <cmath>
#include <utility>

#include "lib/base/check.h"
#include "lib/json/json_text.h"

namespace fakeprop {

JsonWriter& JsonWriter::Key(std::string_view key) {
  FAKEPROP_CHECK(level_.container == Container::kObject && !has_key_);
  Separate();
  AppendString(key, out_);
  out_ += ": ";
  has_key_ = true;
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
  out_ += spelling;
}

void JsonWriter::Bool(bool value) {
  BeforeValue();
  out_ += value ? "true" : "false";
}

void JsonWriter::Null() {
  BeforeValue();
  out_ += "null";
}

void JsonWriter::NewLine(size_t indent) {
  FAKEPROP_CHECK(level_.container != Container::kNone && !has_key_);
  breaks_line_ = true;
  indent_ = indent;
}

std::string JsonWriter::Take() {
  FAKEPROP_CHECK(level_.container == Container::kNone && level_.has_items);
  level_ = {};
  return std::exchange(out_, {});
}

void JsonWriter::Begin(Container container, char bracket) {
  BeforeValue();
  out_ += bracket;
  outer_.push_back(level_);
  level_ = {container};
}

void JsonWriter::End(Container container, char bracket) {
  FAKEPROP_CHECK(level_.container == container && !has_key_);
  if (breaks_line_) BreakLine();
  out_ += bracket;
  level_ = outer_.back();
  outer_.pop_back();
}

void JsonWriter::BeforeValue() {
  if (level_.container != Container::kObject) return Separate();
  FAKEPROP_CHECK(has_key_);
  has_key_ = false;
}

void JsonWriter::Separate() {
  FAKEPROP_CHECK(level_.container != Container::kNone || !level_.has_items);
  if (breaks_line_) {
    if (level_.has_items) out_ += ',';
    BreakLine();
  } else if (level_.has_items) {
    out_ += ", ";
  }
  level_.has_items = true;
}

void JsonWriter::BreakLine() {
  out_ += '\n';
  out_.append(indent_, ' ');
  breaks_line_ = false;
}

}  // namespace fakeprop
