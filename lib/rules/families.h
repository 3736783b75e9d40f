// Every family of rules. A new family is one line here and one in families.cc.
#pragma once

#include <vector>

#include "lib/rules/rule_table.h"

namespace fakeprop {

RuleRows AttentionRules();
RuleRows FusedAttentionRules();
RuleRows TransformerRules();
RuleRows RnnRules();
RuleRows RnnCellBackwardRules();
RuleRows RnnKernelRules();
RuleRows ArithmeticRules();
RuleRows ReductionRules();
RuleRows ScanRules();
RuleRows SortRules();
RuleRows SparseRules();
RuleRows BackendRules();
RuleRows NestedRules();
RuleRows NnOperatorRules();
RuleRows MatmulRules();
RuleRows DecomposedQuantizeRules();
RuleRows ScaledMatmulRules();
RuleRows GroupedMatmulRules();
RuleRows ConvolutionRules();
RuleRows DistanceRules();
RuleRows SlowConvolutionRules();
RuleRows EinsumRules();
RuleRows TrilinearRules();
RuleRows TrapezoidRules();
RuleRows GradientRules();
RuleRows QuantileRules();
RuleRows MatrixNormRules();
RuleRows LinalgRules();
RuleRows FactorizationRules();
RuleRows StatisticsRules();
RuleRows StftRules();
RuleRows FftRules();
RuleRows ResampleRules();
RuleRows ViewRules();
RuleRows CopyRules();
RuleRows JoinRules();
RuleRows RearrangeRules();
RuleRows PaddingRules();
RuleRows FactoryRules();
RuleRows RandomRules();
RuleRows MutationRules();
RuleRows ReinterpretRules();
RuleRows PartsRules();
RuleRows NormRules();
RuleRows BatchNormRules();
RuleRows PoolingRules();
RuleRows AdaptivePoolingRules();
RuleRows ForeachRules();
RuleRows HistogramRules();
RuleRows IndexRules();
RuleRows GatherRules();
RuleRows EmbeddingRules();
RuleRows AssertionRules();
RuleRows ActivationRules();
RuleRows ActivationBackwardRules();
RuleRows ComparisonRules();
RuleRows SpecialRules();
RuleRows OptimizerRules();
RuleRows LossRules();
RuleRows ClassLossRules();
RuleRows FakeQuantizeRules();
RuleRows QuantizeRules();
RuleRows NumbersRules();
RuleRows ScriptTensorRules();
RuleRows ScriptValueRules();
RuleRows ProbeRules();
RuleRows PhiloxRules();
RuleRows JaggedRules();
RuleRows PackedWeightRules();

// All of them, in this order.
std::vector<RuleRows> RuleFamilies();

}  // namespace fakeprop
