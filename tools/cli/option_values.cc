#include "tools/cli/option_values.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>

#include "lib/base/byte_count.h"
#include "lib/base/suggest.h"
#include "lib/base/version.h"
#include "lib/diag/code_table.h"
#include "lib/meta/device_name.h"
#include "lib/meta/nearest_name.h"

namespace fakeprop::cli {

size_t WordIndex(const CLI::App& app, const std::string& name, const std::string& word) {
  if (word.empty() && app.count(name) == 0) return 0;
  const std::vector<std::string> words = WordsOf(*app.get_option(name));
  auto it = std::find(words.begin(), words.end(), word);
  if (it != words.end()) return it - words.begin();
  std::string all;
  for (const std::string& w : words) all += (all.empty() ? "`" : ", `") + w + "`";
  const std::string taker = name[0] == '-' ? "`" + name + "`" : "`fakeprop completions`";
  throw UsageError{taker + " takes one of " + all + ", not `" + word + "`", Question(Nearest(word, words))};
}

namespace {

Device ParseDevice(const std::string& name) {
  auto device = DeviceFromName(name);
  if (!device)
    throw UsageError{
        "`--device` takes a device such as `cpu` or `cuda:0`, not `" + name + "`", Question(NearestDevice(name))};
  return WithIndex(*device);
}

// "500M", "16G", "1000000".
uint64_t ParseBytes(const std::string& text) {
  static constexpr std::string_view kUnits = "KMGT";
  uint64_t number = 0;
  const char* end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, number);
  int shift = 0;
  if (error == std::errc() && rest + 1 == end && kUnits.find(*rest) != std::string_view::npos)
    shift = 10 * (static_cast<int>(kUnits.find(*rest++)) + 1);
  if (error != std::errc() || rest != end || number == 0 || number > UINT64_MAX >> shift)
    throw UsageError{"`--max-memory` takes a number of bytes such as `500M` or `16G`, not `" + text + "`", {}};
  return number << shift;
}

int ParsePort(const std::string& text) {
  int port = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, port);
  if (error != std::errc() || rest != end || port < 1 || port > 65535)
    throw UsageError{"`--port` takes a number from 1 to 65535, not `" + text + "`", {}};
  return port;
}

// "batch=8"
void ReadSet(const std::string& text, SymbolValues& values) {
  const size_t equals = text.find('=');
  const std::string name = text.substr(0, equals), number = equals == std::string::npos ? "" : text.substr(equals + 1);
  int64_t value = 0;
  const char* end = number.data() + number.size();
  const auto [rest, error] = std::from_chars(number.data(), end, value);
  if (name.empty() || number.empty() || error != std::errc() || rest != end)
    throw UsageError{"`--set` takes a symbol and a number such as `batch=8`, not `" + text + "`", {}};
  if (!values.emplace(name, value).second) throw UsageError{"`--set` gives `" + name + "` more than once", {}};
}

// "x=4x16:int64@cuda:0"
void ReadInputOption(const std::string& text, std::vector<InputOption>& inputs) {
  try {
    InputOption input = ParseInputOption(text);
    for (const InputOption& other : inputs)
      if (other.name == input.name) throw UsageError{"`--input` gives `" + input.name + "` more than once", {}};
    inputs.push_back(std::move(input));
  } catch (const std::invalid_argument& error) {
    throw UsageError{std::string("`--input` ") + error.what(), {}};
  }
}

// A whole number of at least 1, of an option.
size_t ReadPositive(const std::string& text, const std::string& option, const std::string& what) {
  size_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end || number == 0)
    throw UsageError{"`" + option + "` takes " + what + ", from 1 on, not `" + text + "`", {}};
  return number;
}

// "2/4"
Shard ReadShard(const std::string& text) {
  const std::string what = "a part and the number of parts such as `1/4`";
  const size_t slash = std::min(text.find('/'), text.size());
  const auto count = [&](const std::string& part) {
    return part.find_first_not_of("0123456789") == std::string::npos && part.size() < 10 && !part.empty()
               ? std::stoul(part)
               : 0;
  };
  const Shard shard{count(text.substr(0, slash)), slash < text.size() ? count(text.substr(slash + 1)) : 0};
  if (shard.index == 0 || shard.index > shard.count)
    throw UsageError{"`--shard` takes " + what + ", not `" + text + "`", {}};
  return shard;
}

// "FP8003=off"
std::pair<std::string, std::string> ReadRule(const std::string& text) {
  const size_t equals = std::min(text.find('='), text.size());
  const std::string name = text.substr(0, equals), level = equals < text.size() ? text.substr(equals + 1) : "";
  if (level != "off" && level != "warning" && level != "error")
    throw UsageError{"`--rule` takes a rule and its level such as `FP8003=off`, not `" + text + "`", {}};
  const CodeInfo* info = FindCodeInfo(name);
  if (info && info->code.id.starts_with("FP8")) return {std::string(info->code.id), level};
  std::vector<std::string> known;
  for (const CodeInfo& rule : AllCodes())
    if (rule.code.id.starts_with("FP8"))
      known.insert(known.end(), {std::string(rule.code.id), std::string(rule.code.class_name)});
  throw UsageError{"there is no lint rule `" + name + "`", Question(Nearest(name, known))};
}

// "node,shape" -> "node", "shape"
std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(',', start), text.size());
    parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

std::vector<std::string> ReadColumns(const std::string& text) {
  const std::vector<std::string> known(ShowColumns().begin(), ShowColumns().end());
  const std::vector<std::string> columns = SplitAtCommas(text);
  std::string all;
  for (const std::string& name : known) all += (all.empty() ? "`" : ", `") + name + "`";
  for (const std::string& column : columns)
    if (std::find(known.begin(), known.end(), column) == known.end())
      throw UsageError{"`--columns` takes some of " + all + ", with commas between them, not `" + column + "`",
          Question(Nearest(column, known))};
  return columns;
}

int64_t ParseByteCount(const std::string& name, const std::string& text) {
  const std::optional<int64_t> bytes = ReadByteCount(text);
  if (!bytes)
    throw UsageError{
        "`" + name + "` takes a number of bytes such as `24GiB`, `24GB` or `500M`, not `" + text + "`", {}};
  return *bytes;
}

// "batch=1,2,4"
SizeColumn ReadSizeColumn(const std::string& text) {
  const size_t equals = text.find('=');
  SizeColumn column{text.substr(0, equals), {}};
  const char* at = equals == std::string::npos ? text.data() + text.size() : text.data() + equals + 1;
  for (const char* end = text.data() + text.size(); at < end;) {
    int64_t value = 0;
    const auto [rest, error] = std::from_chars(at, end, value);
    if (error != std::errc() || (rest != end && *rest != ',')) break;
    column.second.push_back(value);
    at = rest == end ? end : rest + 1;
    if (rest == end) return column;
  }
  throw UsageError{"`--table` takes a symbol and numbers such as `batch=1,2,4`, not `" + text + "`", {}};
}

// Options that say nothing without another one.
void CheckNeeds(
    const CLI::App& app, std::initializer_list<const char*> names, bool is_given, const std::string& needed) {
  for (const char* name : names)
    if (app.count(name) && !is_given) throw UsageError{"`" + std::string(name) + "` needs `" + needed + "`", {}};
}

void ReadSharding(const CLI::App& app, const RawOptions& raw, MemoryOptions& memory) {
  const auto read_count = [&](const char* name, const std::string& text, int64_t& count) {
    if (app.count(name)) count = static_cast<int64_t>(ReadPositive(text, name, "a number such as `8`"));
  };
  const auto read_patterns = [&](const char* name, const std::string& text, std::vector<std::string>& patterns) {
    if (app.count(name)) patterns = SplitAtCommas(text);
  };
  CheckNeeds(app, {"--stage", "--units"}, app.count("--fsdp"), "--fsdp");
  CheckNeeds(app, {"--column", "--row", "--sequence"}, app.count("--tensor-parallel"), "--tensor-parallel");
  CheckNeeds(app, {"--micro-batches"}, app.count("--pipeline"), "--pipeline");
  read_count("--fsdp", raw.fsdp, memory.data_ranks);
  read_count("--tensor-parallel", raw.tensor_parallel, memory.tensor_ranks);
  read_count("--micro-batches", raw.micro_batches, memory.micro_batches);
  if (app.count("--stage")) memory.stage = static_cast<int>(WordIndex(app, "--stage", raw.stage)) + 1;
  read_patterns("--units", raw.units, memory.units);
  read_patterns("--column", raw.column, memory.column);
  read_patterns("--row", raw.row, memory.row);
  read_patterns("--sequence", raw.sequence, memory.sequence);
  read_patterns("--pipeline", raw.pipeline, memory.starts);
  if (memory.tensor_ranks > 1 && memory.column.empty() && memory.row.empty())
    throw UsageError{"`--tensor-parallel` needs `--column` or `--row`", {}};
  memory.training |= memory.data_ranks > 1 || memory.tensor_ranks > 1 || !memory.starts.empty();
}

// Training and the allocator.
void ReadMemoryModels(const CLI::App& app, const RawOptions& raw, MemoryOptions& memory) {
  memory.optimizer = WordIndex(app, "--optimizer", raw.optimizer);
  CheckNeeds(app, {"--optimizer-form"}, memory.optimizer > 0, "--optimizer");
  if (app.count("--optimizer-form")) memory.optimizer_form = WordIndex(app, "--optimizer-form", raw.optimizer_form) + 1;
  memory.has_allocator = WordIndex(app, "--allocator", raw.allocator) == 1;
  CheckNeeds(app, {"--workspace", "--context"}, memory.has_allocator, "--allocator cuda");
  if (app.count("--workspace")) memory.workspace = ParseByteCount("--workspace", raw.workspace);
  if (app.count("--context")) memory.context = ParseByteCount("--context", raw.context);
  if (app.count("--checkpoint")) memory.checkpoint = SplitAtCommas(raw.checkpoint);
  if (memory.choose_checkpoints && !app.count("--budget"))
    throw UsageError{"`--choose-checkpoints` needs `--budget`", {}};
  ReadSharding(app, raw, memory);
  memory.training |= memory.optimizer > 0 || memory.master_weights || memory.accumulate || !memory.checkpoint.empty() ||
                     memory.choose_checkpoints;
}

void ReadMemory(const CLI::App& app, const RawOptions& raw, CommandLineOptions& o) {
  constexpr size_t kMostRows = 10000;
  if (o.command != Command::kMemory) return;
  if (app.count("--free")) o.memory.free = WordIndex(app, "--free", raw.free);
  ReadMemoryModels(app, raw, o.memory);
  if (app.count("--budget")) o.memory.budget = ParseByteCount("--budget", raw.budget);
  if (app.count("--max")) o.memory.max_symbols = SplitAtCommas(raw.max);
  if (app.count("--max") && !o.memory.budget) throw UsageError{"`--max` needs `--budget`", {}};
  if (o.memory.top < 0)
    throw UsageError{"`--top` takes a number from 0 on, not `" + std::to_string(o.memory.top) + "`", {}};
  size_t rows = 1;
  for (const std::string& text : raw.table) {
    o.memory.table.push_back(ReadSizeColumn(text));
    rows *= o.memory.table.back().second.size();
    if (rows > kMostRows) throw UsageError{"`--table` asks for more than 10000 rows", {}};
  }
}

// "312T"
int64_t ParseCount(const std::string& name, const std::string& text) {
  const std::optional<int64_t> count = ReadCount(text);
  if (!count) throw UsageError{"`" + name + "` takes a number such as `312T`, not `" + text + "`", {}};
  return *count;
}

DeviceRates ParseRates(const std::string& name) {
  if (const DeviceRates* known = FindDeviceRates(name)) return *known;
  std::vector<std::string> names;
  std::string all;
  for (const DeviceRates& device : AllDeviceRates()) {
    names.emplace_back(device.name);
    all += (all.empty() ? "`" : ", `") + names.back() + "`";
  }
  throw UsageError{"`--on` takes one of " + all + ", not `" + name + "`", Question(Nearest(name, names))};
}

void ReadCost(const CLI::App& app, const RawOptions& raw, CommandLineOptions& o) {
  if (o.command != Command::kCost) return;
  o.cost.by = static_cast<CostRows>(WordIndex(app, "--by", raw.by));
  if (app.count("--budget")) o.cost.budget = ParseCount("--budget", raw.budget);
  if (o.cost.top < 0)
    throw UsageError{"`--top` takes a number from 0 on, not `" + std::to_string(o.cost.top) + "`", {}};
  const bool has_rates = app.count("--peak-flops") || app.count("--bandwidth");
  if (has_rates && app.count("--on")) throw UsageError{"`--on` and `--peak-flops` exclude each other", {}};
  if (app.count("--peak-flops") != app.count("--bandwidth"))
    throw UsageError{"`--peak-flops` and `--bandwidth` need each other", {}};
  if (app.count("--on")) o.cost.device = ParseRates(raw.on);
  if (!has_rates) return;
  const auto flops = static_cast<double>(ParseCount("--peak-flops", raw.peak_flops));
  o.cost.device = {"this device", flops, flops, static_cast<double>(ParseCount("--bandwidth", raw.bandwidth))};
}

void ReadLintWords(const CLI::App& app, const RawOptions& raw, CommandLineOptions& o) {
  try {
    o.reports = ParseLintReports(raw.reports);
  } catch (const std::invalid_argument& error) {
    throw UsageError{error.what(), {}};
  }
  o.has_reports = !raw.reports.empty();
  for (const std::string& text : raw.rules) o.rules.push_back(ReadRule(text));
  if (app.count("--jobs")) o.jobs = ReadPositive(raw.jobs, "--jobs", "a number of graphs such as `4`");
  if (app.count("--shard")) o.shard = ReadShard(raw.shard);
}

OutputFormat ReadFormat(const CLI::App& app, const std::string& word) {
  constexpr std::pair<std::string_view, OutputFormat> kFormats[] = {{"text", OutputFormat::kText},
      {"json", OutputFormat::kJson}, {"csv", OutputFormat::kCsv}, {"markdown", OutputFormat::kMarkdown},
      {"cpp", OutputFormat::kCpp}, {"python", OutputFormat::kPython}};
  WordIndex(app, "--format", word);
  for (const auto& [name, format] : kFormats)
    if (name == word) return format;
  return OutputFormat::kText;
}

}  // namespace

void ReadWords(const CLI::App& app, const RawOptions& raw, CommandLineOptions& o) {
  constexpr When kWhen[] = {When::kAuto, When::kAlways, When::kNever, When::kJson};
  o.progress = kWhen[WordIndex(app, "--progress", raw.progress)];
  o.color = kWhen[WordIndex(app, "--color", raw.color)];
  if (app.get_option_no_throw("--grad") && app.count("--grad")) o.grad = WordIndex(app, "--grad", raw.grad) == 0;
  if (o.command == Command::kLint) {
    ReadLintWords(app, raw, o);
  } else if (app.get_option_no_throw("--format")) {
    o.format = ReadFormat(app, raw.format);
  }
  if (app.get_option_no_throw("--device") && app.count("--device")) o.device = ParseDevice(raw.device);
  if (app.get_option_no_throw("--torch") && app.count("--torch"))
    o.torch = kOldestTorch + WordIndex(app, "--torch", raw.torch);
  if (app.get_option_no_throw("--torch-build") && app.count("--torch-build"))
    o.build = static_cast<TorchBuild>(WordIndex(app, "--torch-build", raw.torch_build));
  o.max_memory_is_given = app.get_option_no_throw("--max-memory") && app.count("--max-memory");
  if (o.max_memory_is_given) o.max_memory = ParseBytes(raw.max_memory);
  if (app.get_option_no_throw("--port") && app.count("--port")) o.port = ParsePort(raw.port);
  for (const std::string& text : raw.set) ReadSet(text, o.values);
  for (const std::string& text : raw.inputs) ReadInputOption(text, o.given_inputs);
  if (app.get_option_no_throw("--columns") && app.count("--columns")) o.columns = ReadColumns(raw.columns);
  if (app.get_option_no_throw("--depth") && app.count("--depth"))
    o.depth = ReadPositive(raw.depth, "--depth", "a number of levels such as `3`");
  if (std::count(o.columns.begin(), o.columns.end(), "values")) o.writes_values = true;
  ReadMemory(app, raw, o);
  ReadCost(app, raw, o);
  if (raw.quiet && raw.verbose) throw UsageError{"`--quiet` and `--verbose` exclude each other", {}};
  o.verbosity = raw.quiet         ? Verbosity::kQuiet
                : !raw.verbose    ? Verbosity::kNormal
                : raw.verbose > 1 ? Verbosity::kDebug
                                  : Verbosity::kVerbose;
}

std::vector<std::string> Question(const std::string& nearest) {
  return nearest.empty() ? std::vector<std::string>() : std::vector<std::string>{DidYouMean(nearest)};
}

}  // namespace fakeprop::cli
