#include "tools/cli/table.h"

#include <algorithm>
#include <numeric>

#include "lib/base/utf8.h"

namespace fakeprop::cli {
namespace {

constexpr size_t kGap = 2;

size_t TotalWidth(const std::vector<size_t>& widths) {
  const size_t shown = std::count_if(widths.begin(), widths.end(), [](size_t w) { return w > 0; });
  return std::accumulate(widths.begin(), widths.end(), size_t{0}) + (shown ? (shown - 1) * kGap : 0);
}

std::string Painted(const Cell& cell, const std::string& text, Paint paint) {
  return cell.is_colored ? paint(cell.color, text) : text;
}

void TrimRight(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

}  // namespace

std::optional<std::string> Table::SameInAll(size_t column) const {
  std::optional<std::string> same;
  for (const Row& row : rows_) {
    if (column >= row.cells.size() || row.cells[column].text.empty()) continue;
    if (same && *same != row.cells[column].text) return std::nullopt;
    same = row.cells[column].text;
  }
  return same;
}

// As wide as the widest cell; optional columns without any are left out.
std::vector<size_t> Table::WantedWidths() const {
  std::vector<size_t> widths;
  for (const Column& c : columns_) widths.push_back(DisplayWidth(c.title));
  std::vector<bool> is_used(columns_.size(), false);
  for (const Row& row : rows_) {
    for (size_t i = 0; i < row.cells.size(); ++i) {
      widths[i] = std::max(widths[i], DisplayWidth(row.cells[i].text));
      is_used[i] = is_used[i] || !row.cells[i].text.empty();
    }
  }
  for (size_t i = 0; i < widths.size(); ++i)
    if (columns_[i].fit == Fit::kOptional && !is_used[i]) widths[i] = 0;
  return widths;
}

void Table::CutWidest(std::vector<size_t>& widths, size_t limit, bool cuts_kept) const {
  while (TotalWidth(widths) > limit) {
    size_t widest = columns_.size();
    for (size_t i = 0; i < widths.size(); ++i) {
      if (widths[i] <= columns_[i].min_width || (columns_[i].fit == Fit::kKeep && !cuts_kept)) continue;
      if (widest == columns_.size() || widths[i] > widths[widest]) widest = i;
    }
    if (widest == columns_.size()) return;
    --widths[widest];
  }
}

std::vector<size_t> Table::FitWidths(size_t limit) const {
  std::vector<size_t> widths = WantedWidths();
  if (limit == 0) return widths;
  for (size_t i = 0; i < columns_.size() && TotalWidth(widths) > limit; ++i)
    if (columns_[i].fit == Fit::kOptionalIfSame && SameInAll(i)) widths[i] = 0;
  for (size_t i = columns_.size(); i-- > 0 && TotalWidth(widths) > limit;)
    if (columns_[i].fit == Fit::kOptional) widths[i] = 0;
  for (bool cuts_kept : {false, true}) CutWidest(widths, limit, cuts_kept);
  return widths;
}

std::vector<std::string> Table::LeftOut(size_t limit) const {
  const std::vector<size_t> wanted = WantedWidths(), widths = FitWidths(limit);
  std::vector<std::string> left_out;
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (widths[i] > 0 || wanted[i] == 0) continue;
    const std::optional<std::string> same = SameInAll(i);
    left_out.push_back(columns_[i].title + (same ? " (" + *same + ")" : ""));
  }
  return left_out;
}

void Table::RenderRow(
    const Row& row, const std::vector<size_t>& widths, size_t limit, Paint paint, std::string& out) const {
  std::string line;
  size_t used = 0;
  for (size_t i = 0; i < row.cells.size(); ++i) {
    if (widths[i] == 0) continue;
    const std::string text = Truncate(row.cells[i].text, widths[i]);
    const std::string padding(widths[i] - std::min(widths[i], DisplayWidth(text)), ' ');
    const std::string painted = Painted(row.cells[i], text, paint);
    line += columns_[i].align_right ? padding + painted : painted + padding;
    line += std::string(kGap, ' ');
    used += widths[i] + kGap;
  }
  if (!row.rest.text.empty())
    line += Painted(row.rest, limit ? Truncate(row.rest.text, limit > used ? limit - used : 0) : row.rest.text, paint);
  TrimRight(line);
  out += line + "\n";
}

std::string Table::Render(size_t limit, Paint paint) const {
  const std::vector<size_t> widths = FitWidths(limit);
  std::string out;
  Row header;
  for (const Column& c : columns_) header.cells.emplace_back(c.title, Color::kBold);
  RenderRow(header, widths, limit, paint, out);
  for (const Row& row : rows_) RenderRow(row, widths, limit, paint, out);
  return out;
}

}  // namespace fakeprop::cli
