// Sizes and places in what crosses between host and plugin: part of the ABI, like the order of virtual functions (which
// sdk/abi/check watches). A line that fails here breaks every plugin that is out there; it is never adapted within a
// major.
#include <supplierd/JsonBody.h>
#include <supplierd/Plugin.h>
#include <supplierd/RequestAuthenticator.h>
#include <supplierd/RequestObserver.h>
#include <supplierd/internal/ImageIngest.h>
#include <supplierd/services/Accounts.h>
#include <supplierd/services/ApiKeyVerifier.h>
#include <supplierd/services/AuditLog.h>
#include <supplierd/services/CategoryTree.h>
#include <supplierd/services/Crypto.h>
#include <supplierd/services/HttpClient.h>
#include <supplierd/services/Jobs.h>
#include <supplierd/services/Operations.h>
#include <supplierd/services/Orders.h>
#include <supplierd/services/Products.h>

#include <cstddef>

#if defined(__x86_64__) && defined(__LP64__)

// Conditionally supported for some of these types, and supported by every compiler that this is built with.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

namespace supplierd {

static_assert(sizeof(ConfigKey) == 168);
static_assert(offsetof(ConfigKey, name) == 0);
static_assert(offsetof(ConfigKey, type) == 32);
static_assert(offsetof(ConfigKey, defaultValue) == 40);
static_assert(offsetof(ConfigKey, help) == 72);
static_assert(offsetof(ConfigKey, min) == 104);
static_assert(offsetof(ConfigKey, max) == 112);
static_assert(offsetof(ConfigKey, secret) == 120);
static_assert(offsetof(ConfigKey, keys) == 128);
static_assert(offsetof(ConfigKey, reserved) == 152);

static_assert(sizeof(Route) == 240);
static_assert(offsetof(Route, method) == 0);
static_assert(offsetof(Route, pattern) == 8);
static_assert(offsetof(Route, audience) == 40);
static_assert(offsetof(Route, scope) == 48);
static_assert(offsetof(Route, body) == 80);
static_assert(offsetof(Route, handler) == 88);
static_assert(offsetof(Route, maxBody) == 120);
static_assert(offsetof(Route, accepts) == 128);
static_assert(offsetof(Route, errorPage) == 152);
static_assert(offsetof(Route, perMinute) == 184);
static_assert(offsetof(Route, admit) == 192);
static_assert(offsetof(Route, reserved) == 224);

static_assert(sizeof(Scope) == 80);
static_assert(offsetof(Scope, name) == 0);
static_assert(offsetof(Scope, summary) == 32);
static_assert(offsetof(Scope, reserved) == 64);

static_assert(sizeof(Migration) == 88);
static_assert(offsetof(Migration, number) == 0);
static_assert(offsetof(Migration, name) == 8);
static_assert(offsetof(Migration, sql) == 40);
static_assert(offsetof(Migration, reserved) == 72);

static_assert(sizeof(PluginDescription) == 304);
static_assert(offsetof(PluginDescription, summary) == 0);
static_assert(offsetof(PluginDescription, config) == 32);
static_assert(offsetof(PluginDescription, migrations) == 56);
static_assert(offsetof(PluginDescription, needs) == 80);
static_assert(offsetof(PluginDescription, after) == 104);
static_assert(offsetof(PluginDescription, offers) == 128);
static_assert(offsetof(PluginDescription, routes) == 152);
static_assert(offsetof(PluginDescription, openapi) == 176);
static_assert(offsetof(PluginDescription, scopes) == 208);
static_assert(offsetof(PluginDescription, reserved) == 288);

static_assert(sizeof(Principal) == 96);
static_assert(offsetof(Principal, supplierId) == 0);
static_assert(offsetof(Principal, keyId) == 8);
static_assert(offsetof(Principal, keyPrefix) == 16);
static_assert(offsetof(Principal, isOperator) == 48);
static_assert(offsetof(Principal, scopes) == 56);
static_assert(offsetof(Principal, reserved) == 80);

static_assert(sizeof(Response) == 176);
static_assert(offsetof(Response, status) == 0);
static_assert(offsetof(Response, data) == 8);
static_assert(offsetof(Response, headers) == 40);
static_assert(offsetof(Response, secret) == 64);
static_assert(offsetof(Response, content) == 72);
static_assert(offsetof(Response, stream) == 88);
static_assert(offsetof(Response, contentType) == 104);
static_assert(offsetof(Response, warnings) == 136);
static_assert(offsetof(Response, reserved) == 160);

static_assert(sizeof(Detail) == 160);
static_assert(offsetof(Detail, field) == 0);
static_assert(offsetof(Detail, code) == 32);
static_assert(offsetof(Detail, message) == 64);
static_assert(offsetof(Detail, members) == 96);
static_assert(offsetof(Detail, errorMembers) == 120);
static_assert(offsetof(Detail, reserved) == 144);

static_assert(sizeof(ApiError) == 96);
static_assert(sizeof(ConfigError) == 64);
static_assert(sizeof(DatabaseError) == 40);
static_assert(sizeof(HttpError) == 40);
static_assert(sizeof(JobStopped) == 32);

static_assert(sizeof(LogField) == 56);
static_assert(offsetof(LogField, name) == 0);
static_assert(offsetof(LogField, value) == 16);
static_assert(offsetof(LogField, isJson) == 48);

static_assert(sizeof(SqlParam) == 64);
static_assert(sizeof(Decimal) == 8);
static_assert(sizeof(JsonWriter) == 16);

static_assert(sizeof(JsonNode) == 16);
static_assert(offsetof(JsonNode, begin) == 0);
static_assert(offsetof(JsonNode, size) == 4);
static_assert(offsetof(JsonNode, nameBegin) == 8);
static_assert(sizeof(JsonValue) == 16);
static_assert(sizeof(JsonArray) == 16);
static_assert(sizeof(JsonObject) == 16);
static_assert(sizeof(JsonMember) == 32);
static_assert(sizeof(JsonDocument) == 32);

static_assert(sizeof(IssuedApiKey) == 88);
static_assert(offsetof(IssuedApiKey, id) == 0);
static_assert(offsetof(IssuedApiKey, prefix) == 8);
static_assert(offsetof(IssuedApiKey, secret) == 40);
static_assert(offsetof(IssuedApiKey, reserved) == 72);

static_assert(sizeof(AuditEntry) == 240);
static_assert(offsetof(AuditEntry, actor) == 0);
static_assert(offsetof(AuditEntry, action) == 32);
static_assert(offsetof(AuditEntry, object) == 64);
static_assert(offsetof(AuditEntry, objectId) == 96);
static_assert(offsetof(AuditEntry, supplierId) == 104);
static_assert(offsetof(AuditEntry, before) == 120);
static_assert(offsetof(AuditEntry, after) == 152);
static_assert(offsetof(AuditEntry, requestId) == 184);
static_assert(offsetof(AuditEntry, ago) == 216);
static_assert(offsetof(AuditEntry, reserved) == 224);
static_assert(sizeof(AuditRecord) == 296);
static_assert(offsetof(AuditRecord, id) == 0);
static_assert(offsetof(AuditRecord, createdAt) == 8);
static_assert(offsetof(AuditRecord, entry) == 40);
static_assert(offsetof(AuditRecord, reserved) == 280);

static_assert(sizeof(ApprovalOutcome) == 144);
static_assert(sizeof(CategoryRecord) == 184);
static_assert(sizeof(CategoryChange) == 392);
static_assert(sizeof(Actor) == 88);
static_assert(sizeof(ProductImage) == 96);
static_assert(sizeof(ProductRecord) == 96);
static_assert(sizeof(ImageError) == 120);

// Interfaces are a pointer to their table of functions and nothing else.
static_assert(sizeof(Plugin) == 8);
static_assert(sizeof(Config) == 8);
static_assert(sizeof(Host) == 8);
static_assert(sizeof(Request) == 8);
static_assert(sizeof(Rows) == 8);
static_assert(sizeof(SqlSession) == 8);
static_assert(sizeof(Transaction) == 8);
static_assert(sizeof(Database) == 8);
static_assert(sizeof(Content) == 8);
static_assert(sizeof(ContentStream) == 8);
static_assert(sizeof(BodyStream) == 8);
static_assert(sizeof(RequestHead) == 8);
static_assert(sizeof(RequestAuthenticator) == 8);
static_assert(sizeof(RequestObserver) == 8);
static_assert(sizeof(Crypto) == 8);

} // namespace supplierd

#endif
