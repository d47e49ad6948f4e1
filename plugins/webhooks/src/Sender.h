#pragma once

#include "DeliveryQueue.h"
#include "ObjectJson.h"
#include "Settings.h"

#include <supplierd/Log.h>
#include <supplierd/Metrics.h>
#include <supplierd/StopSignal.h>
#include <supplierd/services/Crypto.h>
#include <supplierd/services/HttpClient.h>

#include <semaphore>

namespace supplierd::webhooks {

/// Sends deliveries, one after the other. Thread: any, several at once.
class Sender {
public:
    struct Dependencies {
        Database& database;
        const HttpClient& http;
        Crypto& crypto;
        Logger& log;
        Metrics& metrics;
        ObjectServices objects;
    };

    Sender(const Dependencies& dependencies, const Settings& settings);

    /// Until the queue ends.
    void run(DeliveryQueue& queue);
    /// Ends the requests that are under way: they count for nothing.
    void stop() { _stop.raise(); }

private:
    Attempt attempt(const Errand& errand);
    /// Sends it, and notes what came.
    void send(const Errand& errand, const std::string& body, Attempt& attempt);
    void judge(const Delivery& delivery, Attempt& attempt) const;
    /// Notes it when it is sent for the first time.
    std::string bodyFor(const Errand& errand, Attempt& attempt);
    template <class Read>
    auto reading(const Read& read);

    const Dependencies _deps;
    const Settings _settings;
    StopSignal _stop;
    /// Sessions of the pool that are taken at once, which requests need more.
    std::counting_semaphore<> _readers{2};
    Counter& _delivered;
    Counter& _retried;
    Counter& _failed;
    Histogram& _took;
};

} // namespace supplierd::webhooks
