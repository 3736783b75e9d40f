#include "tools/cli/show_browser.h"

#include <termbox2.h>

#include <algorithm>

#include "lib/annotations/summary.h"
#include "lib/base/byte_count.h"
#include "lib/base/utf8.h"
#include "lib/diag/python_trace.h"
#include "tools/cli/browser_rows.h"
#include "tools/cli/cost_text.h"

namespace fakeprop::cli {
namespace {

constexpr int kDetailLines = 5;  // below the rows: the chosen one, and the line of keys
constexpr const char* kHelp = "up/down move   right/left unfold and fold   / search   n N next and previous   q leaves";

// Gives the terminal back, however it is left.
class Terminal {
 public:
  Terminal() : status_(tb_init()) {}
  ~Terminal() {
    if (status_ == TB_OK) tb_shutdown();
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  std::string Trouble() const { return status_ == TB_OK ? "" : tb_strerror(status_); }

 private:
  const int status_;
};

void Print(int x, int y, uintattr_t color, const std::string& text) {
  tb_print(x, y, color, TB_DEFAULT, Printable(text).c_str());
}

class GraphBrowser {
 public:
  GraphBrowser(const Graph& graph, const Annotations& annotations)
      : annotations_(annotations), tree_(MakeModuleTree(graph, annotations)), rows_(tree_) {}

  void Run() {
    for (tb_event event = {}; !is_left_;) {
      Draw();
      if (tb_poll_event(&event) == TB_OK && event.type == TB_EVENT_KEY) OnKey(event);
    }
  }

 private:
  int Height() const { return std::max(1, tb_height() - kDetailLines); }

  // ---- drawing
  void Draw() {
    tb_clear();
    const auto chosen = static_cast<int>(rows_.chosen());
    top_ = std::clamp(top_, std::max(0, chosen - Height() + 1), chosen);
    for (int y = 0; y < Height() && top_ + y < static_cast<int>(rows_.rows().size()); ++y) DrawRow(top_ + y, y);
    DrawDetails(Height());
    Print(0, tb_height() - 1, TB_REVERSE, is_searching_ ? "/" + search_ : message_.empty() ? kHelp : message_);
    tb_present();
  }

  void DrawRow(int index, int y) {
    const BrowserRow& row = rows_.rows()[static_cast<size_t>(index)];
    const bool is_chosen = static_cast<size_t>(index) == rows_.chosen();
    const uintattr_t mark = is_chosen ? TB_REVERSE : TB_DEFAULT;
    const int value = std::max(24, tb_width() * 11 / 20);
    Print(static_cast<int>(2 * row.depth), y, ColorOf(row) | mark, NameOf(row));
    Print(value, y, mark, std::string(1, ' ') + ValueOf(row) + std::string(static_cast<size_t>(tb_width()), ' '));
  }

  static uintattr_t ColorOf(const BrowserRow& row) {
    if (!row.node) return TB_BOLD;
    return row.node->kind == NodeAnnotation::Kind::kError ? TB_RED : TB_DEFAULT;
  }

  const TreeModule& ModuleOf(const BrowserRow& row) const { return tree_.modules[static_cast<size_t>(row.module)]; }

  std::string NameOf(const BrowserRow& row) const {
    if (row.node) return "%" + row.node->node->name + "  " + row.node->node->target;
    const TreeModule& module = ModuleOf(row);
    return (rows_.IsOpen(row.module) ? "- " : "+ ") + module.name + (module.type.empty() ? "" : "  " + module.type);
  }

  std::string ValueOf(const BrowserRow& row) const {
    if (!row.node) {
      const ModuleSums& sums = ModuleOf(row).sums;
      return Counted(static_cast<size_t>(sums.nodes), "node") + ", results " + BytesText(sums.result_bytes) +
             ", parameters " + BytesText(sums.parameter_bytes) +
             (tree_.has_flops ? ", " + FlopsText(static_cast<double>(sums.flops)) : "");
    }
    switch (row.node->kind) {
      case NodeAnnotation::Kind::kValue: return ToString(row.node->value);
      case NodeAnnotation::Kind::kSkipped: return "skipped because of " + row.node->cause->name;
      case NodeAnnotation::Kind::kError: break;
    }
    const Diagnostic& diagnostic = annotations_.diagnostics[static_cast<size_t>(row.node->diagnostic)];
    return std::string(diagnostic.code.id) + " " + diagnostic.message;
  }

  void DrawDetails(int y) const {
    const BrowserRow& row = rows_.Chosen();
    Print(0, y, TB_DEFAULT, std::string(static_cast<size_t>(tb_width()), '-'));
    Print(0, y + 1, TB_BOLD, row.node ? row.node->node->name : ModuleOf(row).path);
    Print(0, y + 2, TB_DEFAULT, ValueOf(row));
    if (!row.node) return;
    const std::vector<PythonFrame> frames =
        ParseStackTrace(row.node->node->stack_trace, row.node->node->nn_module_stack);
    if (const PythonFrame* line = HeadlineFrame(frames)) Print(0, y + 3, TB_DEFAULT, LineText(*line));
  }

  // ---- keys
  void OnKey(const tb_event& event) {
    message_.clear();
    if (is_searching_) return OnSearchKey(event);
    switch (event.key) {
      case TB_KEY_ARROW_UP: return rows_.Move(-1);
      case TB_KEY_ARROW_DOWN: return rows_.Move(1);
      case TB_KEY_PGUP: return rows_.Move(-Height());
      case TB_KEY_PGDN: return rows_.Move(Height());
      case TB_KEY_HOME: return rows_.Move(-static_cast<ptrdiff_t>(rows_.rows().size()));
      case TB_KEY_END: return rows_.Move(static_cast<ptrdiff_t>(rows_.rows().size()));
      case TB_KEY_ARROW_RIGHT: return rows_.Open();
      case TB_KEY_ARROW_LEFT: return rows_.CloseOrLeave();
      case TB_KEY_ENTER:
      case TB_KEY_SPACE: return rows_.Toggle();
      case TB_KEY_ESC:
      case TB_KEY_CTRL_C: is_left_ = true; return;
      default: return OnLetter(event.ch);
    }
  }

  void OnLetter(uint32_t letter) {
    switch (letter) {
      case 'q': is_left_ = true; return;
      case 'k': return rows_.Move(-1);
      case 'j': return rows_.Move(1);
      case 'h': return rows_.CloseOrLeave();
      case 'l': return rows_.Open();
      case ' ': return rows_.Toggle();
      case 'n': return Find(1);
      case 'N': return Find(-1);
      case '/':
        is_searching_ = true;
        search_.clear();
        return;
      default: return;
    }
  }

  void OnSearchKey(const tb_event& event) {
    if (event.key == TB_KEY_ENTER || event.key == TB_KEY_ESC || event.key == TB_KEY_CTRL_C) {
      is_searching_ = false;
      if (event.key == TB_KEY_ENTER) Find(1);
    } else if (event.key == TB_KEY_BACKSPACE || event.key == TB_KEY_BACKSPACE2) {
      if (!search_.empty()) search_.pop_back();
    } else if (event.ch >= ' ' && event.ch < 0x7f) {
      search_ += static_cast<char>(event.ch);
    }
  }

  void Find(int step) {
    if (search_.empty()) message_ = "/ asks what to look for";
    else if (!rows_.Find(search_, step)) message_ = "no node has `" + search_ + "` in its name, operator or module";
  }

  const Annotations& annotations_;
  const ModuleTree tree_;
  BrowserRows rows_;
  int top_ = 0;  // the row in the first line
  bool is_searching_ = false, is_left_ = false;
  std::string search_, message_;
};

}  // namespace

std::string BrowseGraph(const Graph& graph, const Annotations& annotations) {
  const Terminal terminal;
  if (terminal.Trouble().empty()) GraphBrowser(graph, annotations).Run();
  return terminal.Trouble();
}

}  // namespace fakeprop::cli
