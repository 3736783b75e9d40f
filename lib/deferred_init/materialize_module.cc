// Parameters and buffers of torch::nn modules.
#include <torch/nn/module.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "fakeprop/deferred_init.h"
#include "lib/deferred_init/checkpoint.h"
#include "lib/deferred_init/materialize.h"
#include "lib/deferred_init/memory_forecast.h"

namespace fakeprop {
namespace {

using deferred_init::StoredTensor;

struct Named {
  std::string name;
  at::Tensor tensor;
  bool is_parameter = false;
  std::vector<std::string> other_names = {};  // of a tied tensor
};

std::string Join(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : prefix + "." + name;
}

// The tensors that the options ask for, each once. A tied tensor has its first name.
class Wanted {
 public:
  explicit Wanted(const MaterializeModuleOptions& options) : options_(options) {}

  std::vector<Named> Of(const torch::nn::Module& module) {
    Visit(module, "");
    return std::move(found_);
  }

 private:
  void Visit(const torch::nn::Module& module, const std::string& prefix) {
    if (!options_.modules || options_.modules(module)) {
      if (!options_.buffers_only)
        for (const auto& item : module.named_parameters(false)) Add(Join(prefix, item.key()), item.value(), true);
      for (const auto& item : module.named_buffers(false)) Add(Join(prefix, item.key()), item.value(), false);
    }
    for (const auto& child : module.named_children()) Visit(*child.value(), Join(prefix, child.key()));
  }

  void Add(const std::string& name, const at::Tensor& tensor, bool is_parameter) {
    if (!IsDeferred(tensor) || (options_.tensors && !options_.tensors(name, tensor))) return;
    const auto [it, is_new] = indices_.emplace(tensor.unsafeGetTensorImpl(), found_.size());
    if (is_new) found_.push_back({name, tensor, is_parameter});
    else found_[it->second].other_names.push_back(name);
  }

  const MaterializeModuleOptions& options_;
  std::vector<Named> found_;
  std::map<const c10::TensorImpl*, size_t> indices_;
};

std::optional<TensorSlice> SliceOf(const Named& named, const MaterializeModuleOptions& options) {
  auto slice = options.slices ? options.slices(named.name, named.tensor) : std::nullopt;
  return slice ? std::optional(deferred_init::CheckSlice(named.tensor, *slice)) : std::nullopt;
}

// All slices must be within their tensors, and all tensors within `max_bytes`. `is_loaded` says which come from a file.
void CheckAll(const std::vector<Named>& wanted, const MaterializeModuleOptions& options,
    const std::function<bool(size_t)>& is_loaded) {
  deferred_init::MemoryForecast forecast(options);
  for (size_t i = 0; i < wanted.size(); ++i) {
    const auto slice = SliceOf(wanted[i], options);
    if (!options.max_bytes) continue;
    if (is_loaded(i)) forecast.AddLoaded(wanted[i].tensor, slice);
    else if (slice) forecast.AddSlice(wanted[i].tensor, *slice);
    else forecast.Add(wanted[i].tensor);
  }
  forecast.Check();
}

void MaterializeOne(const Named& named, const MaterializeModuleOptions& options) {
  if (!IsDeferred(named.tensor)) return;  // an alias of one before
  MaterializeOptions own = options;
  own.max_bytes.reset();  // checked for all together
  const auto slice = SliceOf(named, options);
  if (!slice) MaterializeTensor(named.tensor, own);
  else deferred_init::BecomeReal(named.tensor, MaterializeSlice(named.tensor, *slice, own));
}

// The tensors of a module, and where in the file each one is.
class FromFile {
 public:
  FromFile(torch::nn::Module& module, const Checkpoint& source, const MaterializeFromOptions& options)
      : module_(module), source_(*source.state()), options_(options), wanted_(Wanted(options).Of(module)) {}

  // Everything that can be wrong is found here.
  void Check() {
    for (const Named& named : wanted_) {
      const StoredTensor* stored = Find(named);
      stored_.push_back(stored);
      if (stored) CheckStored(named, *stored);
      else if (options_.strict && named.is_parameter)
        problems_.push_back("the parameter `" + named.name + "` is not in it");
    }
    FindUnused();
    if (!problems_.empty()) Fail();
    CheckAll(wanted_, options_, [&](size_t i) { return stored_[i] != nullptr; });
  }

  MaterializedFrom Fill() {
    for (size_t i = 0; i < wanted_.size(); ++i) {
      (stored_[i] ? result_.loaded : result_.replayed).push_back(wanted_[i].name);
      if (stored_[i]) Load(wanted_[i], *stored_[i]);
    }
    for (size_t i = 0; i < wanted_.size(); ++i)
      if (!stored_[i]) MaterializeOne(wanted_[i], options_);
    std::sort(result_.loaded.begin(), result_.loaded.end());
    std::sort(result_.replayed.begin(), result_.replayed.end());
    return std::move(result_);
  }

 private:
  static constexpr size_t kMostShown = 5;

  [[noreturn]] void Fail() const {
    std::string text = "`" + source_.path + "` does not fit the module:";
    for (size_t i = 0; i < problems_.size() && i < kMostShown; ++i) text += (i ? "; " : " ") + problems_[i];
    if (problems_.size() > kMostShown) text += "; and " + std::to_string(problems_.size() - kMostShown) + " more";
    throw DeferredInitError(
        "", text + (options_.strict ? " (set `strict` to false to replay or leave out what is missing)" : ""));
  }

  const StoredTensor* Find(const Named& named) const {
    const auto find = [&](const std::string& name) { return source_.tensors.find(options_.prefix + name); };
    auto it = find(named.name);
    for (size_t i = 0; it == source_.tensors.end() && i < named.other_names.size(); ++i)
      it = find(named.other_names[i]);
    return it == source_.tensors.end() ? nullptr : &it->second;
  }

  void CheckStored(const Named& named, const StoredTensor& stored) {
    const auto sizes = named.tensor.sizes();
    std::ostringstream text;
    if (sizes != c10::IntArrayRef(stored.sizes))
      text << "`" << named.name << "` has sizes " << c10::IntArrayRef(stored.sizes) << " there and " << sizes
           << " here";
    else if (!c10::canCast(stored.dtype, named.tensor.scalar_type()))
      text << "`" << named.name << "` is " << stored.dtype << " there and " << named.tensor.scalar_type() << " here";
    if (!text.str().empty()) problems_.push_back(text.str());
    else deferred_init::CheckReadable(source_, stored);
  }

  void FindUnused() {
    std::set<std::string> names;
    for (const auto& item : module_.named_parameters()) names.insert(options_.prefix + item.key());
    for (const auto& item : module_.named_buffers()) names.insert(options_.prefix + item.key());
    for (const Named& named : wanted_)
      for (const std::string& other : named.other_names) names.insert(options_.prefix + other);
    for (const auto& [name, stored] : source_.tensors)
      if (name.starts_with(options_.prefix) && !names.contains(name)) result_.unused.push_back(name);
    if (!options_.strict) return;
    for (const std::string& name : result_.unused) problems_.push_back("`" + name + "` is not in the module");
  }

  void Load(const Named& named, const StoredTensor& stored) {
    const at::Tensor from = deferred_init::ViewOf(stored);
    deferred_init::LoadInto(named.tensor, from, SliceOf(named, options_), options_);
  }

  torch::nn::Module& module_;
  const Checkpoint::State& source_;
  const MaterializeFromOptions& options_;
  const std::vector<Named> wanted_;
  std::vector<const StoredTensor*> stored_;  // by index in wanted_
  std::vector<std::string> problems_;
  MaterializedFrom result_;
};

}  // namespace

bool IsDeferred(const torch::nn::Module& module) {
  for (const at::Tensor& t : module.parameters())
    if (IsDeferred(t)) return true;
  for (const at::Tensor& t : module.buffers())
    if (IsDeferred(t)) return true;
  return false;
}

void MaterializeModule(torch::nn::Module& module, const MaterializeModuleOptions& options) {
  const std::vector<Named> wanted = Wanted(options).Of(module);
  CheckAll(wanted, options, [](size_t) { return false; });
  for (const Named& named : wanted) MaterializeOne(named, options);
}

MaterializedFrom MaterializeFrom(
    torch::nn::Module& module, const Checkpoint& source, const MaterializeFromOptions& options) {
  FromFile from(module, source, options);
  from.Check();
  return from.Fill();
}

void Dematerialize(torch::nn::Module& module) {
  for (const at::Tensor& t : module.parameters()) Dematerialize(t);
  for (const at::Tensor& t : module.buffers()) Dematerialize(t);
}

}  // namespace fakeprop
