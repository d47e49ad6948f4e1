#pragma once

#include "tests/support/Json.h"
#include "tests/support/SupplierClient.h"

#include <cstdint>
#include <functional>
#include <string>

namespace supplierd::tests {

/// An operator on the API of the platform: a key and a connection of its own. Thread: one.
class OperatorClient : public HttpClient {
public:
    explicit OperatorClient(ServerFixture& on = fixture());

    /// "ok_ab12cd34": the actor of the audit log.
    std::string prefix() const { return key().substr(0, 11); }
    /// The entries of the audit log about one object, newest first.
    Json audit(const std::string& object, std::int64_t id);
    /// Verified and with a key, unless `body` says otherwise.
    SupplierClient createSupplier(const Json& body = Json::object());

private:
    ServerFixture& _on;
};

/// Runs `work` for the runners 0 to count - 1, each in a thread of its own and as an operator who is connected already;
/// all begin together.
void race(int count, const std::function<void(OperatorClient&, int)>& work, ServerFixture& on = fixture());

} // namespace supplierd::tests
