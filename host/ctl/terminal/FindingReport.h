#pragma once

#include "host/plugins/Finding.h"

#include <supplierd/JsonWriter.h>

#include <ostream>

namespace supplierd::host {

/// Whether there is nothing but warnings.
bool isHealthy(const Findings& findings);
/// One or two lines each, for people.
void printFindings(std::ostream& out, const Findings& findings);
/// An array of `{ level, check, message, fix }`.
void writeFindings(JsonWriter& json, const Findings& findings);

} // namespace supplierd::host
