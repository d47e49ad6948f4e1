#include <supplierd/JsonWriter.h>
#include <supplierd/Plugin.h>
#include <supplierd/Validation.h>
#include <supplierd/services/HttpClient.h>

#include <optional>
#include <string>

namespace supplierd::tests {

namespace {

/// Posts a text to the URL that it is given, by rules of its own configuration or by the host's: what webhooks need.
class CallerPlugin final : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription about;
        about.summary = "Calls other servers";
        about.config = {{"allow_networks", ConfigType::TextList, "[]", "networks that may be called"},
                        {"allow_ports", ConfigType::IntegerList, "[80]", "ports that may be called", 1, 65'535}};
        about.routes = {{Method::Post,
                         "/call",
                         Audience::Public,
                         {},
                         Body::Json,
                         [this](Request& request) { return call(request, *_own); }},
                        {Method::Post, "/call-anybody", Audience::Public, {}, Body::Json, [this](Request& request) {
                             return call(request, *_service);
                         }}};
        return about;
    }

    void configure(const Config& config) override {
        for (const auto& text : config.textList("allow_networks")) {
            const auto network = AddressNetwork::parse(text);
            if (!network)
                throw ConfigError("allow_networks", "not a network: " + text);
            _rules.allowNetworks.push_back(*network);
        }
        _rules.allowPorts.clear();
        for (const std::int64_t port : config.integerList("allow_ports"))
            _rules.allowPorts.push_back(static_cast<std::uint16_t>(port));
    }

    void start(Host& host) override {
        _service = host.service<HttpClient>();
        _own = _service->withRules(_rules);
        _stop.emplace();
    }
    void drain() override { _stop->raise(); }
    void stop() noexcept override { _own.reset(); }

private:
    Response call(Request& request, const HttpClient& client) const {
        Details details;
        ObjectReader body(request.body(), details);
        const Field<std::string> url = body.text("url", {2'048, true});
        const Field<std::string> text = body.text("text", {200, true});
        details.throwIfAny();

        HttpRequest outgoing;
        outgoing.method = Method::Post;
        outgoing.url = *url.value;
        outgoing.fields = {{"Content-Type", "text/plain"}};
        outgoing.body = *text.value;
        outgoing.stop = &*_stop;
        Response response = request.reply();
        JsonWriter json(response.data);
        try {
            const HttpResponse answer = client.send(outgoing);
            json.beginObject().field("status", std::int64_t(answer.status)).field("body", answer.body).endObject();
        } catch (const HttpError& problem) {
            const bool isRefused = problem.code() == HttpErrorCode::Address;
            json.beginObject()
                .field("refused", isRefused)
                .field("reason", std::string_view(problem.what()))
                .endObject();
        }
        return response;
    }

    HttpRules _rules;
    std::optional<StopSignal> _stop;
    HttpClient* _service = nullptr;
    std::unique_ptr<HttpClient> _own;
};

} // namespace

} // namespace supplierd::tests

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::tests::CallerPlugin)
