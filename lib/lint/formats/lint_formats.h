// Findings in the formats of other programs. docs/ci.md says which program reads which.
#pragma once

#include <string>
#include <vector>

#include "lib/lint/findings_report.h"
#include "lib/lint/formats/source_places.h"

namespace fakeprop {

// What GitHub and GitLab take; more findings are counted, and the report says so. Sources: GitHub, "SARIF support for
// code scanning" (5,000 results are shown, the errors first; 20 runs), "Workflow commands" (10 errors, 10 warnings and
// 10 notices of a step), "Adding a job summary" (1 MiB); GitLab, "Unit test reports" and lib/gitlab/xml_converter.rb
// (250,000 objects).
inline constexpr size_t kMostSarifResults = 5000;
inline constexpr size_t kMostGithubAnnotations = 10;
inline constexpr size_t kMostJunitFailures = 20000;
inline constexpr size_t kMostMarkdownBytes = 900'000;

// SARIF 2.1.0, with one run.
std::string LintSarif(const std::vector<GraphFindings>& graphs, SourcePlaces& places);

// JUnit XML: a suite for each graph, a failed case for each finding.
std::string LintJunit(const std::vector<GraphFindings>& graphs, SourcePlaces& places);

// Workflow commands of GitHub Actions, which become annotations.
std::string LintGithub(const std::vector<GraphFindings>& graphs, SourcePlaces& places);

// Code quality JSON of GitLab.
std::string LintGitlab(const std::vector<GraphFindings>& graphs, SourcePlaces& places);

// A page for the summary of a job.
std::string LintMarkdown(const std::vector<GraphFindings>& graphs, SourcePlaces& places);

}  // namespace fakeprop
