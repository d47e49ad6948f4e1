#include "Sender.h"

#include <supplierd/Errors.h>

#include <Poco/Timestamp.h>

#include <algorithm>
#include <exception>

namespace supplierd::webhooks {

namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t MAX_ANSWER = 64 * 1024;
/// So many bytes of an answer are kept to be looked at.
constexpr std::size_t KEPT_ANSWER = 1'000;
constexpr int GONE = 410;
/// So many bytes of bodies are written down together.
constexpr std::size_t MOST_WRITTEN = std::size_t{1} << 20;

/// The beginning of an answer as a text of one piece.
std::string excerptOf(std::string_view answer) {
    std::string text(answer.substr(0, KEPT_ANSWER));
    std::ranges::replace_if(
        text, [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t'; }, ' ');
    return text;
}

Counter& attempts(Metrics& metrics, const std::string& outcome) {
    return metrics.counter("attempts_total", "Deliveries that were tried, by what came of it", {{"outcome", outcome}});
}

} // namespace

Sender::Sender(const Dependencies& dependencies, const Settings& settings)
    : _deps(dependencies),
      _settings(settings),
      _delivered(attempts(_deps.metrics, "delivered")),
      _retried(attempts(_deps.metrics, "to_be_repeated")),
      _failed(attempts(_deps.metrics, "failed")),
      _took(_deps.metrics.histogram("attempt_seconds", "How long endpoints take to answer",
                                    {0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10})) {}

void Sender::run(DeliveryQueue& queue) {
    while (auto item = queue.next())
        queue.finish(*item, attempt(*item, queue));
}

Attempt Sender::attempt(WorkItem& item, DeliveryQueue& queue) {
    Attempt attempt;
    attempt.endpointId = item.target->endpointId;
    attempt.deliveryId = item.delivery.id;
    try {
        const std::string body = bodyFor(item, queue);
        const bool isPosted = !item.target->url.empty();
        if (isPosted)
            send(item, body, attempt);
        if (!isPosted || !_stop.isRaised() || attempt.status)
            judge(item, attempt);
    } catch (const std::exception& problem) {
        _deps.log.warning("a delivery could not be prepared",
                          {{"delivery_id", attempt.deliveryId}, {"reason", std::string(problem.what())}});
    }
    return attempt;
}

/// Of the pool's sessions it takes few at once.
template <class Read>
auto Sender::reading(const Read& read) {
    _readers.acquire();
    try {
        auto result = read();
        _readers.release();
        return result;
    } catch (...) {
        _readers.release();
        throw;
    }
}

std::string Sender::bodyFor(WorkItem& item, DeliveryQueue& queue) {
    if (!item.withoutBody.empty())
        return writeBodies(item, queue);
    return item.delivery.hasStoredBody ? storedBody(item.delivery) : bodyOf(item.delivery.message);
}

std::string Sender::storedBody(const Delivery& delivery) {
    return reading(
               [&] { return _deps.database.read([&](SqlSession& session) { return findBody(session, delivery.id); }); })
        .value_or(bodyOf(delivery.message));
}

/// Before anything is sent: a server that sends and does not live to note it is followed by one that sends the same
/// bytes. Where another one has written some meanwhile, it is those that count.
std::string Sender::writeBodies(WorkItem& item, DeliveryQueue& queue) {
    std::size_t written = 0;
    auto bodies = reading([&] {
        auto made = _deps.database.snapshot([&](SqlSession& snapshot) { return makeBodies(snapshot, item); });
        written = webhooks::writeBodies(_deps.database, made);
        return made;
    });
    queue.putBack(item, bodies.size());
    return written == bodies.size() ? std::move(bodies.front().body) : storedBody(item.delivery);
}

std::vector<WrittenBody> Sender::makeBodies(SqlSession& snapshot, const WorkItem& item) const {
    std::vector<WrittenBody> bodies;
    std::size_t bytes = 0;
    for (const Delivery& delivery : item.withoutBody) {
        const auto object = objectJson(snapshot, _deps.objects, item.target->supplierId, delivery.message);
        bodies.push_back({delivery.id, bodyOf(delivery.message, object)});
        bytes += bodies.back().body.size();
        if (bytes >= MOST_WRITTEN)
            break;
    }
    return bodies;
}

void Sender::send(const WorkItem& item, const std::string& body, Attempt& attempt) {
    const std::string& id = item.delivery.message.id;
    const std::int64_t timestamp = Poco::Timestamp().epochTime();
    HttpRequest request;
    request.method = Method::Post;
    request.url = item.target->url;
    request.headers = {{"Content-Type", "application/json"},
                       {"webhook-id", id},
                       {"webhook-timestamp", std::to_string(timestamp)},
                       {"webhook-signature", signatureOf(_deps.crypto, item.target->keys, id, timestamp, body)}};
    request.body = body;
    request.timeout = _settings.timeout;
    request.maxResponseBytes = MAX_ANSWER;
    request.truncatesBody = true;
    request.peerName = "the endpoint";
    request.stop = &_stop;
    const auto began = Clock::now();
    try {
        const HttpResponse response = _deps.http.send(request);
        attempt.status = response.status;
        attempt.answer = excerptOf(response.body);
        if (response.status < 200 || response.status > 299)
            attempt.error = "the endpoint answered " + std::to_string(response.status);
    } catch (const HttpError& problem) {
        attempt.error = problem.what();
    }
    attempt.took = std::chrono::ceil<milliseconds>(Clock::now() - began);
    _took.observe(static_cast<double>(attempt.took.count()) / 1'000);
}

void Sender::judge(const WorkItem& item, Attempt& attempt) const {
    const Delivery& delivery = item.delivery;
    attempt.attempts = delivery.attempts + 1;
    if (item.target->url.empty() || (attempt.status && *attempt.status >= 200 && *attempt.status <= 299)) {
        attempt.outcome = Attempt::Outcome::Delivered;
        _delivered.add();
        return;
    }
    attempt.pause = growingPause(_settings.firstPause, attempt.attempts, LONGEST_PAUSE);
    if (attempt.status == GONE)
        attempt.outcome = Attempt::Outcome::Gone;
    else if (Clock::now() + attempt.pause >= delivery.expires)
        attempt.outcome = Attempt::Outcome::Failed;
    else
        attempt.outcome = Attempt::Outcome::Retry;
    (attempt.outcome == Attempt::Outcome::Retry ? _retried : _failed).add();
}

} // namespace supplierd::webhooks
