#include "lib/schema/generate/kernel_flags.h"

namespace fakeprop {

uint32_t KernelFlags(const c10::OperatorHandle& op) {
  uint32_t flags = 0;
  auto kernel = [&](c10::DispatchKey key, SchemaFlag flag) {
    if (op.hasKernelForDispatchKey(key)) flags |= flag;
  };
  kernel(c10::DispatchKey::CompositeImplicitAutograd, kHasCompositeImplicit);
  kernel(c10::DispatchKey::CompositeExplicitAutograd, kHasCompositeExplicit);
  kernel(c10::DispatchKey::CompositeExplicitAutogradNonFunctional, kHasCompositeExplicit);
  kernel(c10::DispatchKey::Meta, kHasMeta);
  kernel(c10::DispatchKey::CPU, kHasCpu);
  auto tag = [&](at::Tag t, SchemaFlag flag) {
    if (op.hasTag(t)) flags |= flag;
  };
  tag(at::Tag::inplace_view, kTagInplaceView);
  tag(at::Tag::data_dependent_output, kTagDataDependent);
  tag(at::Tag::dynamic_output_shape, kTagDynamicShape);
  tag(at::Tag::core, kTagCore);
  tag(at::Tag::nondeterministic_seeded, kTagRandom);
  tag(at::Tag::pointwise, kTagPointwise);
  tag(at::Tag::view_copy, kTagViewCopy);
  tag(at::Tag::generated, kTagGenerated);
  return flags;
}

}  // namespace fakeprop
