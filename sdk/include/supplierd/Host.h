#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Database.h>
#include <supplierd/Log.h>
#include <supplierd/Metrics.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace supplierd {

enum class Audience;
class RequestAuthenticator;
class RequestObserver;
struct ObserverOptions;

/// A later minor may have more; take one that you do not know for Examining. Since 1.0.
enum class HostPurpose : std::uint8_t {
    Serving,  ///< requests are to be answered, and jobs run
    Examining ///< `supplierctl` looks whether it starts: its database has no rows and keeps nothing, no request comes
};

/// What a plugin gets from the server in Plugin::start(). Thread: any. Lifetime: until Plugin::stop() returns.
/// Since 1.0.
class SUPPLIERD_API Host {
public:
    virtual Database& database() = 0;
    virtual Logger& log() = 0;
    virtual Metrics& metrics() = 0;

    /// Publishes a service that the description promised (PluginDescription::offers). Call in start(); the object must
    /// live until stop() returns.
    virtual void offerService(std::string_view id, void* service) = 0;
    virtual void* findService(std::string_view id) = 0;

    /// From now on asked who sends a request of this audience that has no `Authorization` header. Call in start().
    virtual void addAuthenticator(Audience audience, RequestAuthenticator& authenticator) = 0;
    /// From now on told of answered requests, all of them; `options`: with what. Call in start(). Throws
    /// std::invalid_argument for a header that nobody is told.
    virtual void addObserver(RequestObserver& observer, const ObserverOptions& options) = 0;
    /// With the facts alone.
    void addObserver(RequestObserver& observer);

    /// The minor of the SDK ABI that this host provides, for a plugin that lowers SUPPLIERD_NOTE_NEEDS_MINOR and uses
    /// what is newer only where it is there.
    virtual unsigned abiMinor() const = 0;
    /// Why the plugin is started, for one that would reach beyond the server in start().
    virtual HostPurpose purpose() const = 0;

    /// A service by its interface, which names itself: `static constexpr std::string_view ID = "vendor.thing/1"`.
    /// Null when no enabled plugin offers it. Plugins that offer a service start before those that use it.
    template <class Service>
    Service* service() {
        return static_cast<Service*>(findService(Service::ID));
    }
    /// The same for a plugin that cannot do without: throws std::runtime_error when nobody offers it, which names it,
    /// and to which the host adds the plugin that did not start.
    template <class Service>
    Service& require() {
        if (Service* const found = service<Service>())
            return *found;
        throw std::runtime_error("nobody offers the service '" + std::string(Service::ID) +
                                 "', which it cannot do without");
    }
    /// `offer<Weather>(*this)`: the interface is always named. Taken from the object's own type, the pointer could be
    /// another one than who looks the service up expects.
    template <class Service>
    void offer(std::type_identity_t<Service>& service) {
        offerService(Service::ID, static_cast<void*>(&service));
    }

protected:
    ~Host() = default;
};

} // namespace supplierd
