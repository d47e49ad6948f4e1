#pragma once

#include <supplierd/services/HttpClient.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

namespace supplierd::testing {

/// Other servers for tests of a plugin: hand it to FakeHost::offer<HttpClient>() before the plugin starts. Clients that
/// withRules() makes answer like this one and end before it. Thread: any. Since 1.0.
class FakeHttpClient final : public HttpClient {
public:
    using Answer = std::function<HttpResponse(const HttpRequest&)>;

    /// `answer` may throw HttpError. Without one every server answers 200 with an empty body.
    explicit FakeHttpClient(Answer answer = {}) : _answer(std::move(answer)) {}

    /// All requests so far.
    std::vector<HttpRequest> requests() const {
        const std::lock_guard lock(_mutex);
        return _requests;
    }

    HttpResponse send(const HttpRequest& request) const override {
        {
            const std::lock_guard lock(_mutex);
            _requests.push_back(request);
        }
        if (_answer)
            return _answer(request);
        HttpResponse response;
        response.status = 200;
        response.url = request.url;
        return response;
    }

    /// Takes every URL.
    void check(std::string_view) const override {}

    std::unique_ptr<HttpClient> withRules(const HttpRules&) const override {
        return std::make_unique<FakeHttpClient>([this](const HttpRequest& request) { return send(request); });
    }

private:
    Answer _answer;
    mutable std::mutex _mutex;
    mutable std::vector<HttpRequest> _requests;
};

} // namespace supplierd::testing
