#include "lib/fake/hinted_sizes.h"

#include "lib/dispatch/fake_tensor.h"
#include "lib/fake/mode_state.h"
#include "lib/fake/sym_nodes.h"

namespace fakeprop::fake {
namespace {

// Outside of operators, guards name the question.
class AskedBy {
 public:
  AskedBy(ShapeEnv& env, const char* asked) : env_(env), saved_(env.place()) {
    if (saved_.node.empty()) env_.SetPlace({asked, ""});
  }
  ~AskedBy() { env_.SetPlace(saved_); }
  AskedBy(const AskedBy&) = delete;

 private:
  ShapeEnv& env_;
  const GraphPlace saved_;
};

int64_t NumberOf(const dispatch::FakeTensorImpl& impl, const c10::SymInt& symbol, const char* asked) {
  const StorageRecord* record = FindRecord(impl.unsafe_storage().unsafeGetStorageImpl());
  if (!record || !record->mode->options().sizes_give_hints) dispatch::FailSymbolic(asked);
  const std::lock_guard lock(SymbolsMutex());
  const AskedBy place(*record->mode->options().shape_env, asked);
  return symbol.guard_int(__FILE__, __LINE__);
}

}  // namespace

void AnswerSizesByHints() { dispatch::FakeTensorImpl::to_number = &NumberOf; }

}  // namespace fakeprop::fake
