// Text in aligned columns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/diag/color.h"

namespace fakeprop::cli {

// What happens to a column if the table is too wide. Columns with the same text in every row are left out first, then
// optional columns, starting with the last. Then the widest columns are cut, columns of kind kKeep last.
enum class Fit { kCut, kKeep, kOptional, kOptionalIfSame };

struct Column {
  std::string title;
  bool align_right = false;
  size_t min_width = 8;  // the column is not cut below this width
  Fit fit = Fit::kCut;
};

struct Cell {
  std::string text;
  Color color = Color::kBold;
  bool is_colored = false;

  Cell() = default;
  Cell(std::string text) : text(std::move(text)) {}  // NOLINT: text is a cell
  Cell(std::string text, Color color) : text(std::move(text)), color(color), is_colored(true) {}
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // A row may have fewer cells than there are columns.
  void AddRow(std::vector<Cell> cells) { rows_.push_back({std::move(cells), {}}); }
  // A row whose `rest` extends over the columns after its cells.
  void AddRow(std::vector<Cell> cells, Cell rest) { rows_.push_back({std::move(cells), std::move(rest)}); }

  // `width`: columns of the terminal, 0 for no limit.
  std::string Render(size_t width, Paint paint) const;

  // The columns that a table of this width has no room for: "device (cpu)", "module". The text in brackets is the one
  // that all rows have.
  std::vector<std::string> LeftOut(size_t width) const;

 private:
  struct Row {
    std::vector<Cell> cells;
    Cell rest;
  };

  std::vector<size_t> WantedWidths() const;
  std::vector<size_t> FitWidths(size_t width) const;
  void CutWidest(std::vector<size_t>& widths, size_t limit, bool cuts_kept) const;
  // The text of all cells of a column that are not empty; nothing if they differ.
  std::optional<std::string> SameInAll(size_t column) const;
  void RenderRow(const Row& row, const std::vector<size_t>& widths, size_t width, Paint paint, std::string& out) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace fakeprop::cli
