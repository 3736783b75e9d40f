#include "lib/rules/families.h"

namespace fakeprop {

std::vector<RuleRows> RuleFamilies() {
  return {
      AttentionRules(),
      RnnRules(),
      ArithmeticRules(),
      ReductionRules(),
      ScanRules(),
      SortRules(),
      MatmulRules(),
      ConvolutionRules(),
      EinsumRules(),
      MatrixNormRules(),
      LinalgRules(),
      FactorizationRules(),
      StftRules(),
      FftRules(),
      ResampleRules(),
      ViewRules(),
      ReinterpretRules(),
      PartsRules(),
      NormRules(),
      BatchNormRules(),
      PoolingRules(),
      AdaptivePoolingRules(),
      ForeachRules(),
      IndexRules(),
      GatherRules(),
      EmbeddingRules(),
      AssertionRules(),
      ActivationRules(),
      ActivationBackwardRules(),
      ComparisonRules(),
      SpecialRules(),
      CopyRules(),
      JoinRules(),
      RearrangeRules(),
      PaddingRules(),
      FactoryRules(),
      RandomRules(),
      MutationRules(),
      OptimizerRules(),
      LossRules(),
      ClassLossRules(),
      FakeQuantizeRules(),
      QuantizeRules(),
      PackedWeightRules(),
  };
}

}  // namespace fakeprop
