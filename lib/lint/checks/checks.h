// The functions of the checks, one for each code (lib/lint/checks/graph_checks.cc has the table).
#pragma once

#include "lib/lint/checks/checked_graph.h"
#include "lib/lint/checks/graph_checks.h"

namespace fakeprop {

using CheckReports = std::vector<CheckReport>;

// broadcast_checks.cc
void CheckSilentBroadcast(const CheckedGraph& graph, const CheckSettings& settings, CheckReports& out);
void CheckBroadcastBlowUp(const CheckedGraph& graph, const CheckSettings& settings, CheckReports& out);
void CheckLargeIntermediate(const CheckedGraph& graph, const CheckSettings& settings, CheckReports& out);
// dtype_checks.cc
void CheckPromotedDtype(const CheckedGraph& graph, const CheckSettings& settings, CheckReports& out);
void CheckHalfReduction(const CheckedGraph& graph, const CheckSettings& settings, CheckReports& out);
// copy_checks.cc
void CheckNeedlessCopy(const CheckedGraph& graph, const CheckSettings& settings, CheckReports& out);
void CheckLostWrite(const CheckedGraph& graph, const CheckSettings& settings, CheckReports& out);
void CheckCopyingReshape(const CheckedGraph& graph, const CheckSettings& settings, CheckReports& out);
// boundary_checks.cc
void CheckOutputAliasesInput(const CheckedGraph& graph, const CheckSettings& settings, CheckReports& out);
void CheckInputWritten(const CheckedGraph& graph, const CheckSettings& settings, CheckReports& out);
void CheckUnusedResult(const CheckedGraph& graph, const CheckSettings& settings, CheckReports& out);
void CheckUnusedInput(const CheckedGraph& graph, const CheckSettings& settings, CheckReports& out);
void CheckUnusedParameter(const CheckedGraph& graph, const CheckSettings& settings, CheckReports& out);
void CheckDuplicateWeight(const CheckedGraph& graph, const CheckSettings& settings, CheckReports& out);
// size_checks.cc
void CheckFixedDimension(const CheckedGraph& graph, const CheckSettings& settings, CheckReports& out);
void CheckDataDependentSize(const CheckedGraph& graph, const CheckSettings& settings, CheckReports& out);
// index_checks.cc
void CheckIndexOutOfRange(const CheckedGraph& graph, const CheckSettings& settings, CheckReports& out);
void CheckIndexLimit(const CheckedGraph& graph, const CheckSettings& settings, CheckReports& out);
// placement_checks.cc
void CheckMixedDevices(const CheckedGraph& graph, const CheckSettings& settings, CheckReports& out);
void CheckLostLayout(const CheckedGraph& graph, const CheckSettings& settings, CheckReports& out);

}  // namespace fakeprop
