#include "host/ctl/client/WebhookListener.h"

#include "host/auth/HostCrypto.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/Terminal.h"

#include <Poco/Base64Decoder.h>
#include <Poco/Base64Encoder.h>
#include <Poco/DateTimeFormatter.h>
#include <Poco/Environment.h>
#include <Poco/LocalDateTime.h>
#include <Poco/Timespan.h>
#include <Poco/Timestamp.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <memory>
#include <sstream>
#include <thread>
#include <utility>

namespace supplierd::host {

namespace {

constexpr const char* API = "/api/v1/supplier";
/// A key has a thousand requests an hour, unless the marketplace says otherwise.
constexpr std::chrono::seconds INTERVAL{4};
constexpr std::chrono::milliseconds STEP{100};
constexpr int PAGE = 100;
constexpr std::string_view SECRET = "whsec_";
constexpr std::size_t KEY_BYTES = 32;

std::string base64(std::string_view bytes) {
    std::ostringstream text;
    Poco::Base64Encoder encoder(text);
    encoder.rdbuf()->setLineLength(0);
    encoder.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    encoder.close();
    return text.str();
}

std::string bytesOf(const std::string& secret) {
    std::istringstream text(secret.substr(SECRET.size()));
    Poco::Base64Decoder decoder(text);
    return {std::istreambuf_iterator<char>(decoder), {}};
}

std::string newSecret() {
    return std::string(SECRET) + base64(HostCrypto().randomBytes(KEY_BYTES));
}

std::string clockTime() {
    return Poco::DateTimeFormatter::format(Poco::LocalDateTime(), "%H:%M:%S");
}

} // namespace

WebhookListener::WebhookListener(ControlContext& context, Options options)
    : _context(context),
      _options(std::move(options)),
      _description("supplierctl webhooks listen on " + Poco::Environment::nodeName()) {
    if (_context.connection().address().url.empty())
        throw CommandFailure(
            "name the marketplace and a supplier's key: --server https://market.example --key-file FILE",
            ExitCode::Usage);
    if (!_options.forward.starts_with("http://") && !_options.forward.starts_with("https://") &&
        !_options.forward.empty())
        throw CommandFailure("--forward needs an address such as http://localhost:3000/hooks", ExitCode::Usage);
    if (_options.supplierId != 0)
        makeKey();
}

WebhookListener::~WebhookListener() {
    if (_keyId == 0)
        return;
    try {
        _context.connection().data({.method = "POST", .path = fmt::format("/keys/{}/revoke", _keyId)});
    } catch (const std::exception&) { // it expires
    }
}

/// For a day, if nobody is there to revoke it.
void WebhookListener::makeKey() {
    const Poco::Timestamp end = Poco::Timestamp() + Poco::Timespan(Poco::Timespan::DAYS);
    const ResponseJson wanted{{"name", _description},
                              {"scopes", {"webhooks:read", "webhooks:write", "products:read", "orders:read"}},
                              {"expires_at", Poco::DateTimeFormatter::format(end, "%Y-%m-%dT%H:%M:%SZ")}};
    const auto data = _context.connection().data(
        {.method = "POST", .path = fmt::format("/suppliers/{}/keys", _options.supplierId), .body = wanted.dump()});
    _keyId = data.at("key").at("id").get<std::int64_t>();
    ServerAddress address = _context.connection().address();
    address.key = data.at("key").at("secret").get<std::string>();
    _withThatKey.emplace(address);
}

ResponseJson WebhookListener::call(const std::string& method, const std::string& path, const ResponseJson& body) {
    ServerRequest request{.method = method, .path = path};
    request.base = API;
    if (!body.is_null())
        request.body = body.dump();
    return connection().data(request);
}

/// Of a run of this machine that was killed.
void WebhookListener::deleteLeftOvers() {
    const auto data = call("GET", "/webhooks?per_page=100");
    for (const auto& webhook : data.at("webhooks"))
        if (webhook.at("url").is_null() && webhook.value("description", ResponseJson()) == _description)
            call("POST", fmt::format("/webhooks/{}/delete", webhook.at("id").get<std::int64_t>()));
}

/// Those behind `after` that are done, the oldest first: none behind one that is not, which would come later. Nothing
/// while the server cannot be asked, or lets nobody ask.
std::vector<ResponseJson> WebhookListener::newDeliveries(std::int64_t webhookId, std::int64_t after) {
    std::vector<ResponseJson> found;
    std::string cursor;
    for (bool hasMore = true; hasMore;) {
        ServerRequest request{.path = fmt::format("/webhooks/{}/deliveries?per_page={}{}", webhookId, PAGE,
                                                  cursor.empty() ? "" : "&cursor=" + cursor)};
        request.base = API;
        const auto data = dataUnlessBusy(request);
        if (!data)
            return {};
        for (const auto& delivery : data->at("deliveries")) {
            hasMore = delivery.at("id").get<std::int64_t>() > after;
            if (!hasMore)
                break;
            found.push_back(delivery);
        }
        const auto next = data->at("pagination").value("next_cursor", ResponseJson());
        hasMore = hasMore && next.is_string();
        if (hasMore)
            cursor = next.get<std::string>();
    }
    std::reverse(found.begin(), found.end());
    found.erase(std::find_if(found.begin(), found.end(),
                             [](const ResponseJson& delivery) { return delivery.at("status") == "waiting"; }),
                found.end());
    return found;
}

/// Says once that it goes on asking.
std::optional<ResponseJson> WebhookListener::dataUnlessBusy(const ServerRequest& request) {
    constexpr int TOO_MANY = 429;
    constexpr int UNAVAILABLE = 503;
    constexpr int FIRST_BAD = 300;
    ServerResponse answer;
    try {
        answer = connection().send(request);
    } catch (const CommandFailure& failure) { // nobody answers
        answer.body = failure.what();
    }
    const bool isBusy = answer.status == 0 || answer.status == TOO_MANY || answer.status == UNAVAILABLE;
    if (!isBusy && answer.status >= FIRST_BAD)
        throw ServerConnection::failureOf(answer);
    if (!isBusy) {
        _isBusy = false;
        return ServerConnection::dataOf(answer);
    }
    const std::string reason = answer.status == 0 ? answer.body : ServerConnection::failureOf(answer).what();
    if (!std::exchange(_isBusy, true))
        _context.err() << terminalLines(reason) << "; asking again\n" << std::flush;
    return std::nullopt;
}

void WebhookListener::listen() {
    const InterruptFlag ending;
    deleteLeftOvers();
    ResponseJson wanted{{"url", nullptr}, {"events", _options.events}, {"body", _options.isFull ? "full" : "thin"}};
    wanted["description"] = _description;
    const auto webhook = call("POST", "/webhooks", wanted).at("webhook");
    const auto id = webhook.at("id").get<std::int64_t>();
    const auto secret = webhook.at("secret").get<std::string>();
    _context.err() << "Listening. The secret for this time is " << secret << "\nCtrl C ends it.\n" << std::flush;
    std::int64_t last = 0;
    try {
        while (!ending.isRaised()) {
            for (const auto& delivery : newDeliveries(id, last)) {
                last = delivery.at("id").get<std::int64_t>();
                // A list shows no large bodies.
                const bool isWhole = !delivery.at("request").at("body").is_null();
                passOn(isWhole ? delivery
                               : call("GET", fmt::format("/webhooks/{}/deliveries/{}", id, last)).at("delivery"),
                       secret);
            }
            for (auto waited = STEP; waited < INTERVAL && !ending.isRaised(); waited += STEP)
                std::this_thread::sleep_for(STEP);
        }
    } catch (...) {
        call("POST", fmt::format("/webhooks/{}/delete", id));
        throw;
    }
    call("POST", fmt::format("/webhooks/{}/delete", id));
}

void WebhookListener::replay(std::int64_t deliveryId) {
    const auto data = call("GET", "/webhooks?per_page=100");
    for (const auto& webhook : data.at("webhooks")) {
        ServerRequest request{
            .path = fmt::format("/webhooks/{}/deliveries/{}", webhook.at("id").get<std::int64_t>(), deliveryId)};
        request.base = API;
        const auto answer = connection().send(request);
        if (answer.status == 404)
            continue;
        const char* const own = std::getenv("SUPPLIERD_WEBHOOK_SECRET");
        const std::string secret = own ? own : newSecret();
        if (!secret.starts_with(SECRET))
            throw CommandFailure("SUPPLIERD_WEBHOOK_SECRET has no secret of a webhook, which begins with whsec_",
                                 ExitCode::Usage);
        if (!own)
            _context.err() << "The secret for this time is " << secret << "\n";
        if (!passOn(ServerConnection::dataOf(answer).at("delivery"), secret))
            throw ReportedFailure{};
        return;
    }
    throw CommandFailure(fmt::format("no webhook of this supplier has a delivery {}", deliveryId));
}

/// As the server signs, with the time of now. Whether it was taken, or had nowhere to go.
bool WebhookListener::passOn(const ResponseJson& delivery, const std::string& secret) {
    const auto id = delivery.at("message_id").get<std::string>();
    const auto body = delivery.at("request").at("body").dump();
    const auto timestamp = std::to_string(Poco::Timestamp().epochTime());
    ServerResponse answer;
    if (!_options.forward.empty()) {
        const auto signature = base64(HostCrypto().hmacSha256(bytesOf(secret), id + '.' + timestamp + '.' + body));
        answer = postTo(_options.forward,
                        {"Content-Type: application/json", "webhook-id: " + id, "webhook-timestamp: " + timestamp,
                         "webhook-signature: v1," + signature},
                        body);
    }
    print(delivery, answer);
    return _options.forward.empty() || (answer.status >= 200 && answer.status <= 299);
}

void WebhookListener::print(const ResponseJson& delivery, const ServerResponse& answer) {
    if (_context.json) {
        ResponseJson line{{"delivery", delivery}};
        if (!_options.forward.empty())
            line["forwarded"] = {{"status", answer.status}, {"error", answer.status == 0 ? answer.body : ""}};
        _context.out() << line.dump() << std::endl;
        return;
    }
    const auto& body = delivery.at("request").at("body");
    _context.out() << fmt::format("{} {} delivery {}", clockTime(), delivery.at("type").get<std::string>(),
                                  delivery.at("id").get<std::int64_t>());
    if (!_options.forward.empty())
        _context.out() << " -> " << (answer.status == 0 ? terminalLines(answer.body) : std::to_string(answer.status));
    else
        _context.out() << ' ' << terminalLines(body.dump());
    _context.out() << std::endl;
}

void addWebhookListenCommand(CLI::App& program, ControlContext& context) {
    struct Typed {
        WebhookListener::Options options;
        std::int64_t replayed = 0;
    };
    auto* group = commandNamed(program, "webhooks");
    if (!group) {
        group = program.add_subcommand("webhooks", "listen");
        group->require_subcommand(1);
    }
    auto* const command = group->add_subcommand(
        "listen", "Bring the deliveries of a supplier to this machine, while a receiver is being written");
    const auto typed = std::make_shared<Typed>();
    typed->options.events = {"product.created",  "product.updated", "product.deleted", "product.approved",
                             "product.rejected", "stock.changed",   "price.changed",   "image.changed",
                             "order.created",    "order.updated",   "key.revoked"};
    command->add_option("--forward", typed->options.forward, "Where each is posted on to: http://localhost:3000/hooks")
        ->type_name("URL");
    command->add_option("--events", typed->options.events, "Only these, with commas between")
        ->delimiter(',')
        ->type_name("EVENTS");
    command->add_flag("--full", typed->options.isFull, "With the objects that changed, not their ids alone");
    command->add_option("--supplier", typed->options.supplierId, "With an operator's key: the supplier's id")
        ->type_name("ID");
    command->add_option("--replay", typed->replayed, "Post one delivery of any webhook on once more, and end")
        ->type_name("ID");
    command->footer(
        "With --server and the supplier's own key (--key-file, or SUPPLIERD_KEY), or an operator's and --supplier,\n"
        "for which it makes a key that it revokes at the end. It makes a webhook without an address, asks every few\n"
        "seconds what it brought, and deletes it at the end. What is posted on is signed with a secret that it "
        "prints;\n"
        "--replay signs with SUPPLIERD_WEBHOOK_SECRET where that is set.");
    command->callback([&context, typed] {
        WebhookListener listener(context, typed->options);
        if (typed->replayed == 0)
            return listener.listen();
        if (typed->options.forward.empty())
            throw CommandFailure("--replay needs --forward: where to", ExitCode::Usage);
        listener.replay(typed->replayed);
    });
}

} // namespace supplierd::host
