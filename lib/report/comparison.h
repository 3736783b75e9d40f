// Another run beside that of a report, for its page: which nodes correspond, and what changed.
#pragma once

#include "lib/diff/diff_report.h"
#include "lib/json/json_writer.h"

namespace fakeprop {

// Writes an object; `to` is the run of the report, `from` the other one:
//
//   {"from": name, "summary": text, "notes": [changes of symbols and guards, as texts],
//    "from_runs": [[path, call, count of nodes]], "to_runs": [[path, call, count of nodes]],
//    "from_nodes": [[name, op, target, value or outcome, module, line]],
//    "rows": [[node of from, node of to, entry]], "entries": [[follows, [[field, from, to]]]]}
//
// Rows number the nodes of a side through all of its runs; -1 where it has none. An entry is -1 where nothing changed.
void WriteComparison(const DiffReport& comparison, JsonWriter& json);

}  // namespace fakeprop
