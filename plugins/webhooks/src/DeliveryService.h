#pragma once

#include "DeliveryStore.h"
#include "EndpointStore.h"
#include "Sender.h"

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace supplierd::webhooks {

/// Works the deliveries off: one thread has the database, so many others send. Each server does that for the endpoints
/// that it has the leases of.
class DeliveryService {
public:
    DeliveryService(const Sender::Dependencies& dependencies, EndpointStore& endpoints, const Settings& settings);
    ~DeliveryService();
    DeliveryService(const DeliveryService&) = delete;
    DeliveryService& operator=(const DeliveryService&) = delete;

    void start();
    /// Takes nothing new, gives what is under way a moment, and gives the endpoints back.
    void stop() noexcept;
    /// There may be something new. Thread: any.
    void wake();

private:
    void run();
    void send();
    /// Whether there is more to do at once.
    bool work();
    bool record();
    void lookAtClock();
    bool takeLeases();
    void learnLeases();
    void learnSuppliers(const std::vector<Leased>& leased);
    bool load();
    void giveBack();
    void waitFor(std::chrono::milliseconds pause);

    const Sender::Dependencies _deps;
    const Settings _settings;
    EndpointStore& _endpoints;
    DeliveryQueue _queue;
    DeliveryStore _store;
    std::optional<Sender> _sender;
    Gauge& _leased;
    std::vector<Attempt> _attempts; ///< that are not written down yet
    std::vector<EndpointState> _states;
    Clock::time_point _nextClaim;
    Clock::time_point _nextRenewal;
    Clock::time_point _nextClockLook;
    std::map<std::int64_t, bool> _isVerified; ///< by supplier, until _suppliersUntil
    Clock::time_point _suppliersUntil;

    std::mutex _mutex;
    std::condition_variable _changed;
    bool _isWoken = false;
    int _eagerLooks = 0;
    bool _isStopping = false;
    std::size_t _sending = 0;
    std::thread _keeper; ///< has the database
    std::vector<std::thread> _senders;
};

} // namespace supplierd::webhooks
