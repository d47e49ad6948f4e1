#pragma once

#include "DeliveryQueue.h"
#include "ObjectJson.h"
#include "Settings.h"
#include "WrittenBody.h"

#include <supplierd/Log.h>
#include <supplierd/Metrics.h>
#include <supplierd/StopSignal.h>
#include <supplierd/services/Crypto.h>
#include <supplierd/services/HttpClient.h>

#include <semaphore>
#include <string>
#include <vector>

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
    Attempt attempt(WorkItem& item, DeliveryQueue& queue);
    /// Sends it, and notes what came.
    void send(const WorkItem& item, const std::string& body, Attempt& attempt);
    void judge(const WorkItem& item, Attempt& attempt) const;
    std::string bodyFor(WorkItem& item, DeliveryQueue& queue);
    std::string storedBody(const Delivery& delivery);
    /// Makes the bodies that the item is without, and writes them down. Its own.
    std::string writeBodies(WorkItem& item, DeliveryQueue& queue);
    std::vector<WrittenBody> makeBodies(SqlSession& snapshot, const WorkItem& item) const;
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
