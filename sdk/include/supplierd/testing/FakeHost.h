#pragma once

#include <supplierd/Host.h>
#include <supplierd/testing/FakeDatabase.h>
#include <supplierd/testing/FakeLogger.h>
#include <supplierd/testing/FakeMetrics.h>

#include <map>
#include <string>
#include <string_view>

namespace supplierd::testing {

/// A host for tests of a plugin: scripted database, captured log, readable metrics. Offer a service before the plugin
/// starts to test a plugin that uses it. Thread: one. Since 1.0.
class FakeHost final : public Host {
public:
    FakeDatabase& database() override { return _database; }
    FakeLogger& log() override { return _log; }
    FakeMetrics& metrics() override { return _metrics; }

    void offerService(std::string_view id, void* service) override { _services[std::string(id)] = service; }
    void* findService(std::string_view id) override {
        const auto found = _services.find(id);
        return found == _services.end() ? nullptr : found->second;
    }
    unsigned abiMinor() const override { return SUPPLIERD_SDK_ABI_MINOR; }

private:
    FakeDatabase _database;
    FakeLogger _log;
    FakeMetrics _metrics;
    std::map<std::string, void*, std::less<>> _services;
};

} // namespace supplierd::testing
