#include "lib/interpreter/eager_words.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <vector>

#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

// What kernels say in some versions of LibTorch and not in others: they check other things, or in another order.
struct Difference {
  std::string_view name;   // of all overloads and of the in-place form
  std::string_view words;  // a part of what a version says; empty: whatever it says
};

// docs/compatibility.md says how to find them.
constexpr Difference kDifferences[] = {
    {"_addmm_activation", "must be a matrix"},
    {"_aminmax", "not implemented for"},
    {"_batch_norm_no_update", ""},
    {"_cdist_backward", ""},
    {"_foreach_mm", "must be a matrix"},
    {"_histogramdd_bin_edges", ""},
    {"_histogramdd_from_bin_cts", ""},
    {"_histogramdd_from_bin_tensors", ""},
    {"_int_mm", ""},
    {"_philox_key_fold_in", ""},
    {"_philox_key_split", ""},
    {"_philox_normal", ""},
    {"_philox_uniform", ""},
    {"_pin_memory", ""},
    {"_scaled_mm_v2", ""},
    {"_sobol_engine_draw", ""},
    {"addmm", "must be a matrix"},
    {"alpha_dropout", "not implemented for"},
    {"dropout", "not implemented for"},
    {"feature_alpha_dropout", "not implemented for"},
    {"feature_dropout", "not implemented for"},
    {"grid_sampler", "bicubic interpolation only supports 4D input"},
    {"grid_sampler_2d_backward", ""},
    {"grid_sampler_3d_backward", ""},
    {"gru", "number of RNN parameters"},
    {"gru", "batch_sizes tensor"},
    {"gru", "not implemented for"},
    {"hardtanh", "unsigned type with negative limits"},
    {"histogramdd", ""},
    {"lstm", "number of RNN parameters"},
    {"lstm", "batch_sizes tensor"},
    {"lstm", "not implemented for"},
    {"lu_unpack", "pivots"},
    {"max_pool3d", "non-batch dimensions"},
    {"max_pool3d_with_indices", "non-batch dimensions"},
    {"mm", "must be a matrix"},
    {"native_group_norm", ""},
    {"native_group_norm_backward", "expected scalar type"},
    {"pad", "Trying to create tensor with negative dimension"},
    {"pad", "must be >= 1 in every dimension"},
    {"pin_memory", ""},
    {"reflection_pad1d_backward", ""},
    {"reflection_pad2d_backward", ""},
    {"reflection_pad3d_backward", ""},
    {"replication_pad1d_backward", ""},
    {"replication_pad2d", "Trying to create tensor with negative dimension"},
    {"replication_pad2d", "must be >= 1 in every dimension"},
    {"replication_pad2d_backward", ""},
    {"replication_pad3d", "Trying to create tensor with negative dimension"},
    {"replication_pad3d", "must be >= 1 in every dimension"},
    {"replication_pad3d_backward", ""},
    {"rnn_relu", "number of RNN parameters"},
    {"rnn_relu", "batch_sizes tensor"},
    {"rnn_relu", "not implemented for"},
    {"rnn_relu_cell", ""},
    {"rnn_tanh", "number of RNN parameters"},
    {"rnn_tanh", "batch_sizes tensor"},
    {"rnn_tanh", "not implemented for"},
    {"rnn_tanh_cell", ""},
    {"scaled_dot_product_attention", "attn_mask should not be set"},
    {"topk", "does not support bool"},
};

bool IsInAllVersions(const Schema& schema) {
  for (const SchemaEntry& entry : Overloads(schema.name))
    if (entry.full_name == schema.full_name)
      return entry.versions.since == kOldestTorch && entry.versions.until == kNewestTorch;
  return true;
}

// "aten::addmm_" -> "addmm"
std::string_view BaseName(std::string_view name) {
  name.remove_prefix(name.find("::") + 2);
  if (name.ends_with('_')) name.remove_suffix(1);
  return name;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

// With single spaces, as in our messages.
std::string SingleSpaced(std::string_view text) {
  std::string single;
  for (char c : text)
    if (c != ' ' || (!single.empty() && single.back() != ' ')) single += c;
  while (!single.empty() && single.back() == ' ') single.pop_back();
  return single;
}

std::string_view WithoutStop(std::string_view text) {
  if (text.ends_with('.')) text.remove_suffix(1);
  return text;
}

// The words in lower case, without brackets and stops: "groups", "377", "expected", "weight" ...
std::vector<std::string> PlainWords(std::string_view text) {
  constexpr std::string_view kAround = "[](),.;:";
  std::vector<std::string> words;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(" ="), text.size());
    std::string word = Lower(text.substr(0, end));
    word.erase(0, word.find_first_not_of(kAround));
    word.erase(word.find_last_not_of(kAround) + 1);
    if (!word.empty()) words.push_back(std::move(word));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

// Eager has numbers where our sizes may be symbols.
bool IsSaid(const std::string& theirs, const std::string& ours) {
  const auto is_digit = [](unsigned char c) { return std::isdigit(c); };
  const auto is_letter = [](unsigned char c) { return std::isalpha(c); };
  return theirs == ours || (std::ranges::all_of(theirs, is_digit) && std::ranges::any_of(ours, is_letter));
}

// Returns true if our message has these words, but for their case, brackets, and numbers in the place of symbols.
bool HasWords(const std::string& message, std::string_view words) {
  const std::vector<std::string> ours = PlainWords(message), theirs = PlainWords(words);
  const auto is_said = [](const std::string& our, const std::string& their) { return IsSaid(their, our); };
  return std::search(ours.begin(), ours.end(), theirs.begin(), theirs.end(), is_said) != ours.end();
}

bool IsNameCharacter(unsigned char c) { return std::isalnum(c) || c == '_' || c == '.'; }

// Without the name that PyTorch writes first: `"addmm_impl" not implemented`, `linalg.svd: `, `conv2d(): `.
std::string_view WithoutName(std::string_view words) {
  if (words.starts_with('"')) {
    const size_t end = words.find("\" ", 1);
    return end == std::string_view::npos ? words : words.substr(end + 2);
  }
  size_t end = 0;
  while (end < words.size() && IsNameCharacter(words[end])) ++end;
  if (end == 0) return words;
  for (std::string_view colon : {": ", "(): ", " : "})
    if (words.substr(end).starts_with(colon)) return words.substr(end + colon.size());
  return words;
}

}  // namespace

bool MayEagerRefuse(ErrorClass error_class) {
  switch (error_class) {
    case ErrorClass::kShapeMismatch:
    case ErrorClass::kDtypeMismatch:
    case ErrorClass::kDeviceMismatch:
    case ErrorClass::kIndexOutOfRange:
    case ErrorClass::kValueError:
    case ErrorClass::kTypeError:
    case ErrorClass::kViewError:
    case ErrorClass::kAutogradError:
    case ErrorClass::kOverflow:
    case ErrorClass::kAssertionFailed: return true;
    default: return false;
  }
}

std::string_view WordsOfAllVersions(const Schema& schema, std::string_view words) {
  const std::string_view name = BaseName(schema.name);
  const auto is_met = [&](const Difference& d) { return d.name == name && words.find(d.words) != words.npos; };
  const bool differ = !IsInAllVersions(schema) || std::any_of(std::begin(kDifferences), std::end(kDifferences), is_met);
  return differ ? std::string_view() : words;
}

std::string JoinEagerWords(const std::string& message, std::string_view eager) {
  const std::string words = SingleSpaced(eager);
  const std::string ours = Lower(message);
  if (words.empty() || ours.find(Lower(WithoutStop(words))) != std::string::npos) return message;
  const std::string nameless = Lower(WithoutStop(WithoutName(words)));
  const size_t found = ours.find(nameless);
  if (found == std::string::npos) return HasWords(message, WithoutName(words)) ? message : message + ": " + words;
  return message.substr(0, found) + std::string(WithoutStop(words)) + message.substr(found + nameless.size());
}

}  // namespace fakeprop
