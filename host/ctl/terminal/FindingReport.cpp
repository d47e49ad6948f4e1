#include "host/ctl/terminal/FindingReport.h"

#include "host/ctl/terminal/Terminal.h"

#include <fmt/format.h>

#include <algorithm>

namespace supplierd::host {

namespace {

std::string_view levelName(Finding::Level level) {
    switch (level) {
    case Finding::Level::Warning:
        return "warning";
    case Finding::Level::Error:
        return "error";
    default:
        return "good";
    }
}

} // namespace

bool isHealthy(const Findings& findings) {
    return std::none_of(findings.begin(), findings.end(),
                        [](const Finding& finding) { return finding.level == Finding::Level::Error; });
}

void printFindings(std::ostream& out, const Findings& findings) {
    for (const auto& finding : findings) {
        out << fmt::format("{:<8} {}: {}\n", levelName(finding.level), finding.check, terminalText(finding.message));
        if (!finding.fix.empty())
            out << fmt::format("{:<8} fix: {}\n", "", terminalText(finding.fix));
    }
}

void writeFindings(JsonWriter& json, const Findings& findings) {
    json.beginArray();
    for (const auto& finding : findings) {
        json.beginObject().field("level", levelName(finding.level)).field("check", finding.check);
        json.field("message", finding.message).key("fix");
        if (finding.fix.empty())
            json.null();
        else
            json.value(finding.fix);
        json.endObject();
    }
    json.endArray();
}

} // namespace supplierd::host
