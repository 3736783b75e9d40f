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

// As wide as the widest cell; where that is too wide, optional columns go first, then the widest ones shrink.
std::vector<size_t> Table::FitWidths(size_t limit) const {
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
    if (columns_[i].is_optional && !is_used[i]) widths[i] = 0;
  if (limit == 0) return widths;
  for (size_t i = columns_.size(); i-- > 0 && TotalWidth(widths) > limit;)
    if (columns_[i].is_optional) widths[i] = 0;
  while (TotalWidth(widths) > limit) {
    size_t widest = columns_.size();
    for (size_t i = 0; i < widths.size(); ++i)
      if (widths[i] > columns_[i].min_width && (widest == columns_.size() || widths[i] > widths[widest])) widest = i;
    if (widest == columns_.size()) break;
    --widths[widest];
  }
  return widths;
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
