#include "tests/host/plugins/RecordingHost.h"

#include <stdexcept>
#include <utility>

namespace supplierd::tests {

Database& RecordingHost::database() {
    throw std::logic_error("this host has no database");
}

Metrics& RecordingHost::metrics() {
    throw std::logic_error("this host has no metrics");
}

void RecordingHost::offerService(std::string_view id, void* service) {
    _services.offer(_current->id(), _current->description.offers, id, service);
}

Host& RecordingHost::forPlugin(const host::LoadedPlugin& plugin) {
    _current = &plugin;
    return *this;
}

std::string RecordingHost::take() {
    return std::exchange(_journal, {});
}

void RecordingHost::write(LogLevel, std::string_view message, std::span<const LogField>) {
    _journal += std::string(message) + "\n";
}

} // namespace supplierd::tests
