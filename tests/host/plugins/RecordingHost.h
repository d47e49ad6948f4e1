#pragma once

#include "host/plugins/LoadedPlugin.h"
#include "host/plugins/ServiceRegistry.h"

#include <supplierd/Host.h>

#include <string>
#include <string_view>

namespace supplierd::tests {

/// Gives plugins a log, which it keeps as one text, and services; nothing else.
class RecordingHost final : public Host, private Logger {
public:
    Database& database() override;
    Logger& log() override { return *this; }
    Metrics& metrics() override;
    void offerService(std::string_view id, void* service) override;
    void* findService(std::string_view id) override { return _services.find(id); }
    void addAuthenticator(Audience, RequestAuthenticator&) override {}
    using Host::addObserver;
    void addObserver(RequestObserver&, const ObserverOptions&) override {}
    unsigned abiMinor() const override { return SUPPLIERD_SDK_ABI_MINOR; }
    HostPurpose purpose() const override { return HostPurpose::Serving; }

    /// For PluginSet::start(): remembers whose services come next.
    Host& forPlugin(const host::LoadedPlugin& plugin);
    host::ServiceRegistry& services() { return _services; }
    /// One line per message.
    std::string take();

private:
    void write(LogLevel level, std::string_view message, std::span<const LogField> fields) override;

    host::ServiceRegistry _services;
    const host::LoadedPlugin* _current = nullptr;
    std::string _journal;
};

} // namespace supplierd::tests
