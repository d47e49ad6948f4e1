#include "host/http/response/ErrorTable.h"

#include "tests/support/Json.h"
#include "tests/support/Test.h"

#include <map>
#include <string>
#include <utility>

namespace supplierd::tests {

namespace {

Json envelopeOf(const ApiError& error, const std::string& requestId = "r-1") {
    std::string text;
    host::appendFailure(text, host::errorFragment(error), requestId);
    return Json::parse(text);
}

} // namespace

class ErrorTableTest : public CppUnit::TestFixture {};

TEST(ErrorTableTest, everyKindHasItsStatusAndCode) {
    const std::map<ErrorKind, std::pair<int, std::string>> expected = {
        {ErrorKind::BadRequest, {400, "BAD_REQUEST"}},
        {ErrorKind::Unauthorized, {401, "UNAUTHORIZED"}},
        {ErrorKind::Forbidden, {403, "FORBIDDEN"}},
        {ErrorKind::NotFound, {404, "NOT_FOUND"}},
        {ErrorKind::MethodNotAllowed, {405, "METHOD_NOT_ALLOWED"}},
        {ErrorKind::Conflict, {409, "CONFLICT"}},
        {ErrorKind::LengthRequired, {411, "LENGTH_REQUIRED"}},
        {ErrorKind::PreconditionFailed, {412, "PRECONDITION_FAILED"}},
        {ErrorKind::PayloadTooLarge, {413, "PAYLOAD_TOO_LARGE"}},
        {ErrorKind::UnsupportedMediaType, {415, "UNSUPPORTED_MEDIA_TYPE"}},
        {ErrorKind::RangeNotSatisfiable, {416, "RANGE_NOT_SATISFIABLE"}},
        {ErrorKind::Validation, {422, "VALIDATION_ERROR"}},
        {ErrorKind::RateLimited, {429, "RATE_LIMITED"}},
        {ErrorKind::Internal, {500, "SERVER_ERROR"}},
        {ErrorKind::Unavailable, {503, "SERVICE_UNAVAILABLE"}}};
    for (const auto& [kind, row] : expected) {
        CPPUNIT_ASSERT_EQUAL(row.first, host::errorRow(kind).status);
        CPPUNIT_ASSERT_EQUAL(row.second, std::string(host::errorRow(kind).code));
    }
}

TEST(ErrorTableTest, successWrapsTheData) {
    std::string text;
    host::appendSuccess(text, R"({"id":7})");
    CPPUNIT_ASSERT_EQUAL(std::string(R"({"success":true,"data":{"id":7}})"), text);
}

TEST(ErrorTableTest, successWithoutDataHasAnEmptyObject) {
    std::string text;
    host::appendSuccess(text, "");
    CPPUNIT_ASSERT_EQUAL(std::string(R"({"success":true,"data":{}})"), text);
}

TEST(ErrorTableTest, failureHasCodeMessageAndRequestId) {
    std::string text;
    host::appendFailure(text, host::errorFragment(ApiError::notFound("Product not found")), "abc");
    CPPUNIT_ASSERT_EQUAL(std::string(R"({"success":false,"error":{"code":"NOT_FOUND",)"
                                     R"("message":"Product not found","request_id":"abc"}})"),
                         text);
}

TEST(ErrorTableTest, detailsAreListedInTheirOrder) {
    const auto envelope = envelopeOf(
        ApiError::validation({{"name", "required", "name is required"}, {"unit", "not_in_set", "unit is odd"}}));
    const auto& error = envelope.at("error");
    CPPUNIT_ASSERT_EQUAL(std::string("name is required"), error.at("message").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, error.at("details").size());
    CPPUNIT_ASSERT(error.at("details")[1] ==
                   (Json{{"field", "unit"}, {"code", "not_in_set"}, {"message", "unit is odd"}}));
    CPPUNIT_ASSERT(!error.contains("existing_product_id"));
}

TEST(ErrorTableTest, duplicateSkuNamesTheProductThatHasIt) {
    const auto envelope =
        envelopeOf(ApiError::validation({{"name", "required", "name is required"},
                                         {"sku", "duplicate", "sku is taken", {}, {{"existing_product_id", "42"}}}}));
    CPPUNIT_ASSERT_EQUAL(42, envelope.at("error").at("existing_product_id").get<int>());
    CPPUNIT_ASSERT_EQUAL(42, envelope.at("error").at("details")[1].at("existing_product_id").get<int>());
}

TEST(ErrorTableTest, detailsMayHaveFurtherMembers) {
    Detail detail{"image_url", "dns", "no such host"};
    detail.members = {{"index", "2"}, {"url", "\"http://a.example/\""}};
    CPPUNIT_ASSERT(envelopeOf(ApiError::validation({detail})).at("error").at("details")[0] ==
                   (Json{{"field", "image_url"},
                         {"code", "dns"},
                         {"message", "no such host"},
                         {"index", 2},
                         {"url", "http://a.example/"}}));
}

TEST(ErrorTableTest, internalMessageAndDetailsNeverReachTheClient) {
    const auto envelope =
        envelopeOf(ApiError(ErrorKind::Internal, "password of db1 is tulip", {{"sql", "type", "SELECT secret"}}));
    CPPUNIT_ASSERT(envelope.at("error") ==
                   (Json{{"code", "SERVER_ERROR"}, {"message", "Internal error"}, {"request_id", "r-1"}}));
}

TEST(ErrorTableTest, messagesAreEscaped) {
    const auto envelope = envelopeOf(ApiError::notFound("no \"\\\n</script> \xf0\x9f\x92\x90"));
    CPPUNIT_ASSERT_EQUAL(std::string("no \"\\\n</script> \xf0\x9f\x92\x90"),
                         envelope.at("error").at("message").get<std::string>());
}

} // namespace supplierd::tests
