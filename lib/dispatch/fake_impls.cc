#include "lib/dispatch/fake_impls.h"

#include <memory>
#include <shared_mutex>
#include <unordered_map>

#include "fakeprop/register_fake_impl.h"
#include "lib/dispatch/fallback.h"

namespace fakeprop {
namespace dispatch {
namespace {

struct Registry {
  std::shared_mutex mutex;
  std::unordered_map<std::string, std::shared_ptr<const FakeImpl>> impls;
};

Registry& TheRegistry() {
  static auto* const registry = new Registry;
  return *registry;
}

std::shared_ptr<const FakeImpl> Find(const std::string& full_name) {
  Registry& registry = TheRegistry();
  const std::shared_lock lock(registry.mutex);
  const auto it = registry.impls.find(full_name);
  return it == registry.impls.end() ? nullptr : it->second;
}

}  // namespace
}  // namespace dispatch

void RegisterFakeImpl(const std::string& full_name, FakeImpl impl) {
  dispatch::Registry& registry = dispatch::TheRegistry();
  const std::unique_lock lock(registry.mutex);
  registry.impls[full_name] = std::make_shared<const FakeImpl>(std::move(impl));
}

namespace dispatch {

bool ServeByFakeImpl(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  // LibTorch's own operators have kernels. So this avoids a lookup at each of their calls.
  if (op.operator_name().name.starts_with("aten::")) return false;
  const auto impl = Find(FullName(op.operator_name()));
  if (impl) (*impl)(op, stack);
  return impl != nullptr;
}

}  // namespace dispatch
}  // namespace fakeprop
