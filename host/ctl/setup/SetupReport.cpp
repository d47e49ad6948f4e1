#include "host/ctl/setup/SetupReport.h"

#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/TerminalText.h"

#include <fmt/format.h>

namespace supplierd::host {
namespace {

std::string_view nameOf(SetupReport::State state) {
    switch (state) {
    case SetupReport::State::Done:
        return "done";
    case SetupReport::State::Already:
        return "already";
    case SetupReport::State::Skipped:
        return "skipped";
    }
    return "";
}

} // namespace

void SetupReport::add(std::string_view step, State state, std::string text) {
    _context.hints() << fmt::format("{:<14} {:<8} {}\n", step, nameOf(state), terminalText(text)) << std::flush;
    _steps.push_back({std::string(step), state, std::move(text)});
}

void SetupReport::appendJson(JsonWriter& json) const {
    json.beginArray();
    for (const auto& step : _steps)
        json.beginObject()
            .field("step", std::string_view(step.name))
            .field("state", nameOf(step.state))
            .field("text", std::string_view(step.text))
            .endObject();
    json.endArray();
}

} // namespace supplierd::host
