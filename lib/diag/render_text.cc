#include "lib/diag/render_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "lib/base/utf8.h"
#include "lib/diag/python_trace.h"

namespace fakeprop {
namespace {

// A longer label shifts only its own line.
constexpr size_t kMaxLabelWidth = 24;
constexpr size_t kMaxCallers = 4;

// The user's text on one line. The lines of a longer source are joined.
std::string OneLine(std::string_view text) {
  std::string out;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    std::string_view line = text.substr(start, end - start);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (!out.empty() && !line.empty()) out += ' ';
    out += line;
    start = end + 1;
  }
  return Printable(out);
}

class TextRenderer {
 public:
  TextRenderer(const Diagnostic& d, Paint paint) : d_(d), paint_(paint), headline_(HeadlineFrame(d.frames)) {
    gutter_ = headline_ ? std::max<size_t>(2, std::to_string(headline_->line).size()) : 2;
  }

  std::string Render() {
    AddMessage();
    headline_ ? AddPython() : AddPlace();
    AddDetails();
    return std::move(out_);
  }

 private:
  void AddMessage() {
    const bool is_error = d_.severity == Severity::kError;
    const std::string kind = std::string(is_error ? "error" : "warning") + "[" + std::string(d_.code.id) + "]";
    out_ += paint_(is_error ? Color::kError : Color::kWarning, kind) +
            paint_(Color::kBold, ": " + OneLine(d_.message)) + "\n";
  }

  void AddArrow(const std::string& text) {
    out_ += std::string(gutter_ - 1, ' ') + paint_(Color::kMark, "-->") + " " + text + "\n";
  }
  void AddBar(const std::string& number, const std::string& text) {
    out_ += paint_(Color::kMark, std::string(gutter_ - number.size(), ' ') + number + " |") + text + "\n";
  }

  void AddPython() {
    AddArrow(FrameText(*headline_));
    if (headline_->source.empty()) return;
    AddBar("", "");
    std::string number = std::to_string(headline_->line);
    for (std::string_view rest = headline_->source; !rest.empty();) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      AddBar(number, "     " + Printable(rest.substr(0, end)));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      number.clear();
    }
    AddBar("", "");
  }

  // Without a trace the node comes first; without a node, the file.
  void AddPlace() {
    if (!d_.node.empty()) {
      AddArrow(NodeText() + (FilePlace().empty() ? "" : "     " + FilePlace()));
    } else if (!d_.place.empty() || d_.message.find(d_.file) == std::string::npos) {
      AddArrow(FilePlace());
    }
  }

  void AddDetails() {
    if (headline_ && !d_.node.empty()) Add("node", NodeText() + (FilePlace().empty() ? "" : "     " + FilePlace()));
    for (const OperandOrigin& o : d_.operands) {
      std::string text = o.meta;
      if (!o.origin.empty()) text += (text.empty() ? "" : ", ") + OneLine(o.origin);
      Add(Printable(o.name), Printable(text));
    }
    if (!d_.module.empty()) Add("module", Printable(d_.module));
    AddCallers();
    for (const std::string& note : d_.notes) AddNote(note);
    Flush();
  }

  // The callers outside of torch, nearest first.
  void AddCallers() {
    size_t shown = 0, hidden = 0;
    for (const PythonFrame* frame = headline_; frame && frame != d_.frames.data();) {
      --frame;
      if (IsTorchFrame(*frame)) continue;
      if (shown == kMaxCallers) {
        ++hidden;
        continue;
      }
      ++shown;
      Add("", "called from " + FrameText(*frame));
    }
    if (hidden) Add("", "called from " + std::to_string(hidden) + (hidden == 1 ? " more place" : " more places"));
  }

  // A note may have several lines, for instance a spec to start from.
  void AddNote(std::string_view note) {
    std::string text;
    while (!note.empty()) {
      const size_t end = std::min(note.find('\n'), note.size());
      text += (text.empty() ? "" : "\n" + std::string(gutter_ + 3, ' ')) + Printable(note.substr(0, end));
      note.remove_prefix(std::min(end + 1, note.size()));
    }
    Add("", text);
  }

  std::string FrameText(const PythonFrame& frame) const {
    std::string text = frame.file + ":" + std::to_string(frame.line);
    if (!frame.function.empty()) text += ", in " + frame.function;
    return Printable(text);
  }
  std::string NodeText() const { return Printable(d_.node_text.empty() ? "%" + d_.node : d_.node_text); }
  std::string FilePlace() const {
    return Printable(d_.file + (d_.place.empty() || d_.file.empty() ? "" : ": ") + d_.place);
  }

  void Add(std::string label, std::string text) { details_.emplace_back(std::move(label), std::move(text)); }

  // Aligned lines with labels, then the others.
  void Flush() {
    size_t width = 0;
    for (const auto& [label, text] : details_)
      if (DisplayWidth(label) <= kMaxLabelWidth) width = std::max(width, DisplayWidth(label));
    for (const auto& [label, text] : details_) {
      out_ += std::string(gutter_ + 1, ' ') + paint_(Color::kMark, "=") + " ";
      if (!label.empty()) {
        const size_t padding = width > DisplayWidth(label) ? width - DisplayWidth(label) : 0;
        out_ += paint_(Color::kName, label) + std::string(padding + 3, ' ');
      }
      out_ += text + "\n";
    }
  }

  const Diagnostic& d_;
  const Paint paint_;
  const PythonFrame* headline_;
  size_t gutter_;
  std::vector<std::pair<std::string, std::string>> details_;
  std::string out_;
};

}  // namespace

std::string RenderText(const Diagnostic& diagnostic, Paint paint) { return TextRenderer(diagnostic, paint).Render(); }

}  // namespace fakeprop
