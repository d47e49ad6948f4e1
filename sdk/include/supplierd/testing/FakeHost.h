#pragma once

#include <supplierd/Host.h>
#include <supplierd/RequestAuthenticator.h>
#include <supplierd/RequestObserver.h>
#include <supplierd/testing/FakeAuditLog.h>
#include <supplierd/testing/FakeCacheMemory.h>
#include <supplierd/testing/FakeChangeReaders.h>
#include <supplierd/testing/FakeCrypto.h>
#include <supplierd/testing/FakeDatabase.h>
#include <supplierd/testing/FakeLogger.h>
#include <supplierd/testing/FakeMetrics.h>
#include <supplierd/testing/FakeOperations.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace supplierd::testing {

/// A host for tests of a plugin: scripted database, captured log, readable metrics, a quick Crypto, an audit log that
/// keeps its entries. Offer a service before the plugin starts to test a plugin that uses it: one of other plugins, or
/// one instead of those here. Thread: one. Since 1.0.
class FakeHost final : public Host {
public:
    FakeHost() { offerService(Crypto::ID, static_cast<Crypto*>(&_crypto)); }

    FakeDatabase& database() override { return _database; }
    FakeLogger& log() override { return _log; }
    FakeMetrics& metrics() override { return _metrics; }

    void offerService(std::string_view id, void* service) override { _services[std::string(id)] = service; }
    void* findService(std::string_view id) override {
        const auto found = _services.find(id);
        return found == _services.end() ? findOwn(id) : found->second;
    }
    FakeAuditLog& auditLog() { return _auditLog; }
    /// The host's services that each plugin has for itself.
    FakeJobs& jobs() { return _jobs; }
    FakeChangeReaders& changeReaders() { return _changeReaders; }
    FakePluginSettings& settings() { return _settings; }
    FakeStateFolder& stateFolder() { return _stateFolder; }
    FakeOperations& operations() { return _operations; }
    FakeCacheMemory& cacheMemory() { return _cacheMemory; }
    void addAuthenticator(Audience audience, RequestAuthenticator& authenticator) override {
        _authenticators.emplace_back(audience, &authenticator);
    }
    using Host::addObserver;
    void addObserver(RequestObserver& observer, const ObserverOptions&) override { _observers.push_back(&observer); }

    /// Whom the plugin's authenticators know in this request; nothing when none does.
    std::optional<Principal> authenticate(Audience audience, const RequestHead& head) const {
        for (const auto& [served, authenticator] : _authenticators)
            if (served == audience)
                if (auto principal = authenticator->authenticate(head))
                    return principal;
        return std::nullopt;
    }
    /// Tells the plugin's observers, those that want it.
    void tellObservers(const AnsweredRequest& request) const {
        RequestSummary facts;
        facts.method = request.method;
        facts.route = request.route;
        facts.status = request.status;
        facts.supplierId = request.supplierId;
        facts.keyId = request.keyId;
        facts.isOperator = request.isOperator;
        facts.took = request.took;
        facts.answeredAt = request.answeredAt;
        for (auto* observer : _observers)
            if (observer->wants(facts))
                observer->answered({&request, 1});
    }

    unsigned abiMinor() const override { return SUPPLIERD_SDK_ABI_MINOR; }
    HostPurpose purpose() const override { return HostPurpose::Serving; }

private:
    void* findOwn(std::string_view id) {
        if (id == Jobs::ID)
            return static_cast<Jobs*>(&_jobs);
        if (id == ChangeReaders::ID)
            return static_cast<ChangeReaders*>(&_changeReaders);
        if (id == AuditLog::ID)
            return static_cast<AuditLog*>(&_auditLog);
        if (id == PluginSettings::ID)
            return static_cast<PluginSettings*>(&_settings);
        if (id == StateFolder::ID)
            return static_cast<StateFolder*>(&_stateFolder);
        if (id == Operations::ID)
            return static_cast<Operations*>(&_operations);
        if (id == CacheMemory::ID)
            return static_cast<CacheMemory*>(&_cacheMemory);
        return nullptr;
    }

    FakeDatabase _database;
    FakeLogger _log;
    FakeMetrics _metrics;
    FakeJobs _jobs{_database};
    FakeChangeReaders _changeReaders{_database};
    FakeAuditLog _auditLog;
    FakePluginSettings _settings;
    FakeStateFolder _stateFolder;
    FakeOperations _operations;
    FakeCacheMemory _cacheMemory;
    FakeCrypto _crypto;
    std::map<std::string, void*, std::less<>> _services;
    std::vector<std::pair<Audience, RequestAuthenticator*>> _authenticators;
    std::vector<RequestObserver*> _observers;
};

} // namespace supplierd::testing
