#include "lib/meta/nearest_name.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "lib/base/suggest.h"
#include "lib/meta/device_name.h"
#include "lib/meta/dtype.h"

namespace fakeprop {
namespace {

struct Alias {
  std::string_view name, meant;
};

// What torch and numpy call dtypes beside their long names.
constexpr Alias kDtypeAliases[] = {{"long", "int64"}, {"int", "int32"}, {"short", "int16"}, {"char", "int8"},
    {"byte", "uint8"}, {"float", "float32"}, {"double", "float64"}, {"half", "float16"}, {"boolean", "bool"},
    {"bool_", "bool"}, {"integer", "int64"}, {"cfloat", "complex64"}, {"cdouble", "complex128"}, {"chalf", "complex32"},
    {"complex", "complex64"}, {"fp16", "float16"}, {"fp32", "float32"}, {"fp64", "float64"}};
constexpr Alias kDeviceAliases[] = {{"gpu", "cuda"}, {"nvidia", "cuda"}, {"host", "cpu"}};

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

template <size_t kCount>
std::string_view MeantBy(std::string_view name, const Alias (&aliases)[kCount]) {
  for (const Alias& alias : aliases)
    if (alias.name == name) return alias.meant;
  return {};
}

std::vector<std::string> DtypeNamesNear(const std::string& lower) {
  std::vector<std::string> names;
  for (int i = 0; i < static_cast<int>(ScalarType::NumOptions); ++i) {
    const auto dtype = static_cast<ScalarType>(i);
    const std::string name(DtypeName(dtype));
    if (DtypeFromName(name) != dtype) continue;
    if (ShortDtypeName(dtype) == lower) return {name};
    names.push_back(name);
  }
  return {Nearest(lower, names)};
}

}  // namespace

std::string NearestDtype(std::string_view name) {
  if (name.starts_with("torch.")) name.remove_prefix(6);
  const std::string lower = LowerCase(name);
  if (const std::string_view meant = MeantBy(lower, kDtypeAliases); !meant.empty()) return std::string(meant);
  return DtypeNamesNear(lower)[0];
}

std::string NearestDevice(std::string_view name) {
  const std::string lower = LowerCase(name);
  const size_t digits = std::min(lower.find_first_of("0123456789"), lower.size());
  std::string kind = lower.substr(0, digits);
  while (!kind.empty() && !std::isalpha(static_cast<unsigned char>(kind.back()))) kind.pop_back();
  const std::string_view meant = MeantBy(kind, kDeviceAliases);
  kind = meant.empty() ? Nearest(kind, {"cpu", "cuda", "meta", "mps", "xpu", "hpu"}) : std::string(meant);
  if (kind.empty()) return {};
  const std::string with_index = digits < lower.size() ? kind + ":" + lower.substr(digits) : kind;
  return DeviceFromName(with_index) ? with_index : kind;
}

}  // namespace fakeprop
