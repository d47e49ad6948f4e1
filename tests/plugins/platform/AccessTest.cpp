#include "tests/support/OperatorClient.h"
#include "tests/support/Responses.h"
#include "tests/support/Test.h"

#include <string>
#include <utility>
#include <vector>

namespace supplierd::tests {

using nlohmann::json;

namespace {

const std::vector<std::pair<std::string, std::string>> ROUTES{{"GET", "/suppliers"},
                                                              {"POST", "/suppliers"},
                                                              {"GET", "/suppliers/1"},
                                                              {"POST", "/suppliers/1"},
                                                              {"POST", "/suppliers/1/verify"},
                                                              {"POST", "/suppliers/1/suspend"},
                                                              {"GET", "/suppliers/1/keys"},
                                                              {"POST", "/suppliers/1/keys"},
                                                              {"POST", "/keys/1/revoke"},
                                                              {"GET", "/categories"},
                                                              {"POST", "/categories"},
                                                              {"POST", "/categories/1"},
                                                              {"GET", "/products"},
                                                              {"GET", "/products/1"},
                                                              {"POST", "/products/1/approve"},
                                                              {"POST", "/products/1/reject"},
                                                              {"POST", "/orders"},
                                                              {"GET", "/order-groups"},
                                                              {"GET", "/order-groups/1"},
                                                              {"POST", "/order-groups/1/complete"},
                                                              {"GET", "/audit"}};

// Those that end in an id that does not exist, with a body that would do.
const std::vector<std::string> MISSING{"/suppliers/999999/verify", "/suppliers/999999/suspend", "/keys/999999/revoke",
                                       "/products/999999/approve", "/order-groups/999999/complete"};

} // namespace

/// Who may use the operators' API, and that its errors look like those of the suppliers'.
class AccessTest : public CppUnit::TestFixture {};

TEST(AccessTest, everyRouteNeedsAnOperatorsKey) {
    OperatorClient op;
    const SupplierClient supplier = op.createSupplier();
    for (const std::string& key : {std::string(), supplier.key(), "sk" + op.key().substr(2), op.key() + "x"}) {
        auto client = fixture().server().operatorClient(key);
        for (const auto& [method, path] : ROUTES) {
            const HttpResponse response = method == "GET" ? client.get(path) : client.post(path, json::object());
            CPPUNIT_ASSERT_EQUAL_MESSAGE(method + " " + path, 401, response.status);
            requireError(401, "UNAUTHORIZED", response);
            CPPUNIT_ASSERT_EQUAL(std::string("Bearer"), response.header("WWW-Authenticate"));
        }
    }
}

TEST(AccessTest, anOperatorsKeyIsNoneOnTheSuppliersApi) {
    OperatorClient op;
    auto client = fixture().server().client(op.key());
    for (const char* path : {"/products", "/categories", "/orders"})
        requireError(401, "UNAUTHORIZED", client.get(path));
    requireError(401, "UNAUTHORIZED", client.post("/products", json::object()));
    requireStatus(200, op.get("/suppliers")); // and is one here
}

TEST(AccessTest, aRevokedOperatorsKeyIsForbidden) {
    const auto key = fixture().server().createOperatorKey({{"revoked_at", "NOW(6)"}});
    requireForbidden("key_revoked", fixture().server().operatorClient(key).get("/suppliers"));
}

TEST(AccessTest, whatIsNotThereIsNotFound) {
    OperatorClient op;
    for (const std::string& path : MISSING)
        requireError(404, "NOT_FOUND", op.postEmpty(path));
    for (const char* path :
         {"/suppliers/999999", "/suppliers/999999/keys", "/products/999999", "/order-groups/999999", "/suppliers/0",
          "/suppliers/01", "/suppliers/abc", "/suppliers/99999999999999999999", "/nothing", "/orders/1", "/keys"})
        requireError(404, "NOT_FOUND", op.get(path));
    for (const char* path : {"/suppliers/999999/keys", "/categories/999999", "/products/999999/reject"}) {
        requireError(404, "NOT_FOUND", op.post(path, {{"reason", "Blurred"}, {"name", "Any"}}));
        requireError(404, "NOT_FOUND", op.post(path, {{"reason", 1}, {"name", 1}}));
    }
}

TEST(AccessTest, otherMethodsAreRefusedWithTheAllowedOnes) {
    OperatorClient op;
    const auto requireAllow = [&](const std::string& method, const std::string& path, const std::string& allow) {
        const HttpResponse response = op.request(method, path);
        requireError(405, "METHOD_NOT_ALLOWED", response);
        CPPUNIT_ASSERT_EQUAL(allow, response.header("Allow"));
    };
    requireAllow("DELETE", "/suppliers/1", "GET, HEAD, POST");
    requireAllow("GET", "/products/1/approve", "POST");
    requireAllow("PUT", "/categories", "GET, HEAD, POST");
}

TEST(AccessTest, bodiesMustBeJsonObjects) {
    OperatorClient op;
    for (const auto& [method, path] : ROUTES) {
        const bool hasBody = method == "POST" && path.find("verify") == std::string::npos &&
                             path.find("suspend") == std::string::npos && path.find("revoke") == std::string::npos &&
                             path.find("approve") == std::string::npos && path.find("complete") == std::string::npos;
        if (!hasBody)
            continue;
        requireError(422, "VALIDATION_ERROR", op.postText(path, "{\"name\":"));
        requireError(422, "VALIDATION_ERROR", op.postText(path, "[]"));
        requireError(422, "VALIDATION_ERROR", op.postText(path, R"({"name":"a","name":"b"})"));
        requireError(415, "UNSUPPORTED_MEDIA_TYPE",
                     op.request("POST", path, {{"Content-Type", "text/plain"}}, "name=a"));
    }
}

} // namespace supplierd::tests
