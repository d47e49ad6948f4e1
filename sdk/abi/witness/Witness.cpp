// Implements every interface of the SDK and takes every type that crosses between host and plugin. Built only to be
// read by abidw (see ../check): an interface that nobody implements would hide a reordered virtual function.
#include <supplierd/Cursor.h>
#include <supplierd/JsonBody.h>
#include <supplierd/Plugin.h>
#include <supplierd/RequestAuthenticator.h>
#include <supplierd/RequestObserver.h>
#include <supplierd/Validation.h>
#include <supplierd/services/Accounts.h>
#include <supplierd/services/ApiKeyVerifier.h>
#include <supplierd/services/AuditLog.h>
#include <supplierd/services/CacheMemory.h>
#include <supplierd/services/CategoryTree.h>
#include <supplierd/services/ChangeLog.h>
#include <supplierd/services/ChangeReaders.h>
#include <supplierd/services/Crypto.h>
#include <supplierd/services/Dashboard.h>
#include <supplierd/services/HttpClient.h>
#include <supplierd/services/Jobs.h>
#include <supplierd/services/Operations.h>
#include <supplierd/services/Orders.h>
#include <supplierd/services/PluginSettings.h>
#include <supplierd/services/Products.h>
#include <supplierd/services/ServerStatus.h>
#include <supplierd/services/StateFolder.h>
#include <supplierd/services/Stock.h>

#include <cstdlib>

namespace supplierd::witness {

class SUPPLIERD_API WitnessAccounts final : public Accounts {
public:
    Listed<Supplier> suppliers(Database&, const QueryParameters&) override { std::abort(); }
    std::optional<Supplier> findSupplier(SqlSession&, std::int64_t) override { std::abort(); }
    Supplier addSupplier(Transaction&, const JsonObject&, const Actor&) override { std::abort(); }
    Supplier verifySupplier(Transaction&, std::int64_t, const Actor&) override { std::abort(); }
    Supplier suspendSupplier(Transaction&, std::int64_t, const Actor&) override { std::abort(); }
    std::vector<Supplier> findSuppliers(SqlSession&, std::span<const std::int64_t>) override { std::abort(); }
    Listed<ApiKeyRecord> keys(Database&, std::int64_t, const QueryParameters&) override { std::abort(); }
    std::optional<ApiKeyRecord> findKey(SqlSession&, std::int64_t) override { std::abort(); }
    ApiKeyRecord requireKey(SqlSession&, std::string_view) override { std::abort(); }
    IssuedApiKey issueKey(Transaction&, std::int64_t, const JsonObject&, const Actor&) override { std::abort(); }
    ApiKeyRecord revokeKey(Transaction&, std::int64_t, const Actor&) override { std::abort(); }
    RotatedApiKey rotateKey(Transaction&, std::int64_t, const JsonObject&, const Actor&) override { std::abort(); }
    Supplier addSandbox(Transaction&, std::int64_t, const Actor&) override { std::abort(); }
    std::optional<Supplier> findSandbox(SqlSession&, std::int64_t) override { std::abort(); }
    std::vector<std::int64_t> sandboxes(SqlSession&) override { std::abort(); }
    Supplier updateSupplier(Transaction&, std::int64_t, const JsonObject&, const Actor&) override { std::abort(); }
};

class SUPPLIERD_API WitnessApiKeyVerifier final : public ApiKeyVerifier {
public:
    std::vector<std::string> knownScopes() const override { std::abort(); }
    Principal verify(std::string_view, std::string_view) override { std::abort(); }
};

class SUPPLIERD_API WitnessDashboard final : public Dashboard {
public:
    void addPage(DashboardPage) override { std::abort(); }
    const Branding& branding() override { std::abort(); }
};

class SUPPLIERD_API WitnessServerStatus final : public ServerStatus {
public:
    std::string version() override { std::abort(); }
    std::string startedAt() override { std::abort(); }
    std::vector<PluginStatus> plugins() override { std::abort(); }
    ServerLoad load() override { std::abort(); }
    RateLimitUsage rateLimit(std::int64_t, std::optional<std::int64_t>) override { std::abort(); }
    std::string openApi(Audience) override { std::abort(); }
};

class SUPPLIERD_API WitnessCrypto final : public Crypto {
public:
    std::string hashPassword(std::string_view) override { std::abort(); }
    bool verifyPassword(std::string_view, std::string_view) override { std::abort(); }
    bool needsRehash(std::string_view) override { std::abort(); }
    std::string randomBytes(std::size_t) override { std::abort(); }
    std::string randomToken(std::size_t) override { std::abort(); }
    std::string sha256(std::string_view) override { std::abort(); }
    std::string hmacSha256(std::string_view, std::string_view) override { std::abort(); }
    bool equal(std::string_view, std::string_view) override { std::abort(); }
};

class SUPPLIERD_API WitnessRequestHead final : public RequestHead {
public:
    std::string_view method() const override { std::abort(); }
    std::string_view path() const override { std::abort(); }
    std::string_view rawQuery() const override { std::abort(); }
    std::string_view requestId() const override { std::abort(); }
    std::optional<std::string_view> header(std::string_view) const override { std::abort(); }
    std::optional<std::string_view> cookie(std::string_view) const override { std::abort(); }
    std::string_view clientAddress() const override { std::abort(); }
    std::string_view scheme() const override { std::abort(); }
};

class SUPPLIERD_API WitnessRequestAuthenticator final : public RequestAuthenticator {
public:
    std::optional<Principal> authenticate(const RequestHead&) override { std::abort(); }
};

class SUPPLIERD_API WitnessRequestObserver final : public RequestObserver {
public:
    void answered(std::span<const AnsweredRequest>) override {}
    bool wants(const RequestSummary&) override { return true; }
};

class SUPPLIERD_API WitnessBodyStream final : public BodyStream {
public:
    std::uint64_t size() const override { std::abort(); }
    std::size_t read(std::span<char>) override { std::abort(); }
};

class SUPPLIERD_API WitnessContentStream final : public ContentStream {
public:
    std::size_t read(std::span<char>) override { std::abort(); }
};

class SUPPLIERD_API WitnessAuditLog final : public AuditLog {
public:
    void record(Transaction&, const AuditEntry&) override {}
    void recordAll(Transaction&, std::span<const AuditEntry>) override {}
    Listed<AuditRecord> list(Database&, const QueryParameters&) override { std::abort(); }
    std::vector<std::string> kinds(SqlSession&) override { std::abort(); }
};

class SUPPLIERD_API WitnessCategoryTree final : public CategoryTree {
public:
    std::vector<CategoryRecord> all(SqlSession&) override { std::abort(); }
    CategoryChange add(Transaction&, const JsonObject&, const Actor&) override { std::abort(); }
    CategoryChange update(Transaction&, std::int64_t, const JsonObject&, const Actor&) override { std::abort(); }
    bool isActive(SqlSession&, std::int64_t) override { std::abort(); }
};

class SUPPLIERD_API WitnessCacheMemory final : public CacheMemory {
public:
    std::size_t bound() const override { std::abort(); }
    void add(Cache&, std::string_view, double) override { std::abort(); }
    void remove(Cache&) noexcept override { std::abort(); }
    void changed(Cache&, std::ptrdiff_t) override { std::abort(); }
};

class SUPPLIERD_API WitnessCache final : public CacheMemory::Cache {
public:
    std::optional<CacheMemory::Clock::time_point> oldestUse() noexcept override { std::abort(); }
    std::ptrdiff_t release() noexcept override { std::abort(); }
};

class SUPPLIERD_API WitnessConfig final : public Config {
public:
    bool boolean(std::string_view) const override { std::abort(); }
    std::int64_t integer(std::string_view) const override { std::abort(); }
    std::string text(std::string_view) const override { std::abort(); }
    std::vector<std::string> textList(std::string_view) const override { std::abort(); }
    std::chrono::milliseconds duration(std::string_view) const override { std::abort(); }
    std::int64_t size(std::string_view) const override { std::abort(); }
    std::vector<std::int64_t> integerList(std::string_view) const override { std::abort(); }
    std::vector<std::reference_wrapper<const Config>> tables(std::string_view) const override { std::abort(); }
};

class SUPPLIERD_API WitnessRows final : public Rows {
public:
    bool next() override { std::abort(); }
    bool isNull(std::size_t) const override { std::abort(); }
    std::int64_t integer(std::size_t) const override { std::abort(); }
    std::string_view text(std::size_t) const override { std::abort(); }
    Decimal decimal(std::size_t) const override { std::abort(); }
    std::string time(std::size_t) const override { std::abort(); }
};

class SUPPLIERD_API WitnessSqlSession final : public SqlSession {
public:
    Rows& query(std::string_view, SqlParams) override { std::abort(); }
    std::int64_t execute(std::string_view, SqlParams) override { std::abort(); }
    std::int64_t lastInsertId() const override { std::abort(); }
};

class SUPPLIERD_API WitnessChange final : public Change {
public:
    std::int64_t seq() const override { std::abort(); }
    void note(std::string_view, std::span<const std::int64_t>) override {}
    std::int64_t withdraw() override { std::abort(); }
    void note(std::string_view, std::span<const std::int64_t>, std::function<void(bool)>) override {}
};

class SUPPLIERD_API WitnessTransaction final : public Transaction {
public:
    SqlSession& session() override { std::abort(); }
    Change& change(std::int64_t) override { std::abort(); }
};

class SUPPLIERD_API WitnessChangeLog final : public ChangeLog {
public:
    std::int64_t committed(SqlSession&, std::int64_t) override { std::abort(); }
    ChangePage after(SqlSession&, std::int64_t, std::int64_t, std::size_t) override { std::abort(); }
};

class SUPPLIERD_API WitnessChangeReaders final : public ChangeReaders {
public:
    void add(ChangeReader) override {}
};

class SUPPLIERD_API WitnessDatabase final : public Database {
public:
    void withSession(const std::function<void(SqlSession&)>&) override {}
    void withTransaction(const std::function<void(Transaction&)>&) override {}
    void withSnapshot(const std::function<void(SqlSession&)>&) override {}
    CommittedNumbers committed(std::int64_t) override { std::abort(); }
    std::int64_t execute(std::string_view, SqlParams) override { std::abort(); }
};

class SUPPLIERD_API WitnessHost final : public Host {
public:
    Database& database() override { std::abort(); }
    Logger& log() override { std::abort(); }
    Metrics& metrics() override { std::abort(); }
    void offerService(std::string_view, void*) override {}
    void* findService(std::string_view) override { std::abort(); }
    void addAuthenticator(Audience, RequestAuthenticator&) override {}
    using Host::addObserver;
    void addObserver(RequestObserver&, const ObserverOptions&) override {}
    unsigned abiMinor() const override { std::abort(); }
    HostPurpose purpose() const override { std::abort(); }
};

class SUPPLIERD_API WitnessHttpClient final : public HttpClient {
public:
    HttpResponse send(const HttpRequest&) const override { std::abort(); }
    void check(std::string_view) const override {}
    std::unique_ptr<HttpClient> withRules(const HttpRules&) const override { std::abort(); }
};

class SUPPLIERD_API WitnessJobRun final : public JobRun {
public:
    const StopSignal& stopSignal() const override { std::abort(); }
    void withTransaction(const std::function<void(Transaction&)>&) override {}
    void report(std::string_view) override {}
    const std::string& input() const override { std::abort(); }
    const std::string& requestedBy() const override { std::abort(); }
    void progress(std::int64_t, std::int64_t, std::string_view) override {}
    void output(std::string_view) override {}
};

class SUPPLIERD_API WitnessJobs final : public Jobs {
public:
    void add(Job) override {}
    bool wake(SqlSession&, std::string_view) override { std::abort(); }
    std::optional<std::int64_t> request(Transaction&, std::string_view, std::string_view, const Actor&) override {
        std::abort();
    }
};

class SUPPLIERD_API WitnessOperations final : public Operations {
public:
    void addCheck(Check) override {}
    void addReadiness(std::function<std::string()>) override {}
    void addAuditKind(std::string) override {}
};

class SUPPLIERD_API WitnessPluginSettings final : public PluginSettings {
public:
    std::optional<std::string> get(SqlSession&, std::string_view) override { std::abort(); }
    std::map<std::string, std::string> all(SqlSession&) override { std::abort(); }
    void set(Transaction&, std::string_view, std::string_view) override {}
    void remove(Transaction&, std::string_view) override {}
};

class SUPPLIERD_API WitnessStateFolder final : public StateFolder {
public:
    std::string path() override { std::abort(); }
};

class SUPPLIERD_API WitnessLogger final : public Logger {
public:
    void write(LogLevel, std::string_view, std::span<const LogField>) override {}
};

class SUPPLIERD_API WitnessCounter final : public Counter {
public:
    void add(double) override {}
};

class SUPPLIERD_API WitnessGauge final : public Gauge {
public:
    void set(double) override {}
    void add(double) override {}
};

class SUPPLIERD_API WitnessHistogram final : public Histogram {
public:
    void observe(double) override {}
};

class SUPPLIERD_API WitnessMetrics final : public Metrics {
public:
    Counter& counter(std::string_view, std::string_view, const MetricLabels&) override { std::abort(); }
    Gauge& gauge(std::string_view, std::string_view, const MetricLabels&) override { std::abort(); }
    Histogram& histogram(std::string_view, std::string_view, std::vector<double>, const MetricLabels&) override {
        std::abort();
    }
};

class SUPPLIERD_API WitnessOrders final : public Orders {
public:
    PlacedOrder place(Transaction&, const JsonObject&, const Actor&) override { std::abort(); }
    OrderGroup complete(Transaction&, std::int64_t, const Actor&) override { std::abort(); }
    Listed<OrderGroupSummary> list(Database&, const QueryParameters&) override { std::abort(); }
    std::optional<OrderGroup> find(SqlSession&, std::int64_t) override { std::abort(); }
    OrderGroup changeStatus(Transaction&, std::int64_t, std::int64_t, const JsonObject&, const Actor&) override {
        std::abort();
    }
    std::optional<OrderGroup> findOwn(SqlSession&, std::int64_t, std::int64_t) override { std::abort(); }
};

class SUPPLIERD_API WitnessProductWalk final : public ProductWalk {
public:
    std::int64_t total() const override { std::abort(); }
    std::vector<ProductRecord> next(std::size_t) override { std::abort(); }
};

class SUPPLIERD_API WitnessProducts final : public Products {
public:
    Listed<ProductRecord> list(Database&, const QueryParameters&) override { std::abort(); }
    std::optional<ProductRecord> find(SqlSession&, std::int64_t) override { std::abort(); }
    ProductCounts count(SqlSession&, std::int64_t) override { std::abort(); }
    std::unique_ptr<ProductWalk> walk(Database&, std::int64_t, std::string_view) override { std::abort(); }
    std::vector<ProductOffer> offers(SqlSession&, std::span<const ProductRef>) override { std::abort(); }
    std::vector<std::optional<ProductRef>> bySku(SqlSession&, std::int64_t, std::span<const std::string>) override {
        std::abort();
    }
    std::vector<BatchedProduct> upsert(Transaction&, std::int64_t, std::span<const JsonObject>, const Actor&) override {
        std::abort();
    }
    std::vector<BatchedProduct> dryRun(SqlSession&, std::int64_t, std::span<const JsonObject>) override {
        std::abort();
    }
    std::vector<BatchedProduct> upsertVariants(Transaction&, std::int64_t, std::span<const JsonObject>,
                                               const Actor&) override {
        std::abort();
    }
    std::vector<BatchedProduct> dryRunVariants(SqlSession&, std::int64_t, std::span<const JsonObject>) override {
        std::abort();
    }
    void remove(Transaction&, std::int64_t, std::int64_t, const Actor&) override {}
    std::vector<ApprovalOutcome> approve(Transaction&, std::span<const std::int64_t>, const Actor&) override {
        std::abort();
    }
    std::vector<ApprovalOutcome> reject(Transaction&, std::span<const std::int64_t>, std::string_view,
                                        const Actor&) override {
        std::abort();
    }
};

class SUPPLIERD_API WitnessStock final : public Stock {
public:
    BulkResult setStocks(Transaction&, std::int64_t, std::span<const StockItem>) override { std::abort(); }
    BulkResult setPrices(Transaction&, std::int64_t, std::span<const PriceItem>) override { std::abort(); }
    void take(Transaction&, std::span<const StockMove>) override {}
    void putBack(Transaction&, std::span<const StockMove>) override {}
};

class SUPPLIERD_API WitnessPlugin final : public Plugin {
public:
    PluginDescription describe() override { std::abort(); }
    void configure(const Config&) override {}
    void start(Host&) override {}
    void ready() override {}
    void drain() override {}
    void stop() noexcept override {}
};

class SUPPLIERD_API WitnessRequest final : public Request {
public:
    Method method() const override { std::abort(); }
    const Principal& principal() const override { std::abort(); }
    std::string_view requestId() const override { std::abort(); }
    std::string_view path() const override { std::abort(); }
    const RequestHead& head() const override { std::abort(); }
    std::int64_t pathInteger(std::string_view) const override { std::abort(); }
    std::string_view pathText(std::string_view) const override { std::abort(); }
    const QueryParameters& query() const override { std::abort(); }
    std::optional<std::string_view> header(std::string_view) const override { std::abort(); }
    JsonObject body() const override { std::abort(); }
    const QueryParameters& form() const override { std::abort(); }
    BodyStream& rawBody() override { std::abort(); }
    Database& database() override { std::abort(); }
    Response transact(const std::function<Response(Transaction&)>&) override { std::abort(); }
    Response reply(int) override { std::abort(); }
    std::string_view rawQuery() const override { std::abort(); }
    Response transactTogether(const std::function<Response(Transaction&)>&) override { std::abort(); }
    const std::shared_ptr<void>& admission() const override { std::abort(); }
};

class SUPPLIERD_API WitnessContent final : public Content {
public:
    std::uint64_t size() const override { std::abort(); }
    std::string read(std::uint64_t, std::size_t) const override { std::abort(); }
    int descriptor() const override { std::abort(); }
};

/// Makes one of each, so that their tables of virtual functions are in the library.
SUPPLIERD_API void makeAll() {
    static_cast<void>(WitnessAccounts());
    static_cast<void>(WitnessApiKeyVerifier());
    static_cast<void>(WitnessAuditLog());
    static_cast<void>(WitnessCategoryTree());
    static_cast<void>(WitnessConfig());
    static_cast<void>(WitnessRows());
    static_cast<void>(WitnessSqlSession());
    static_cast<void>(WitnessTransaction());
    static_cast<void>(WitnessDatabase());
    static_cast<void>(WitnessHost());
    static_cast<void>(WitnessJobRun());
    static_cast<void>(WitnessJobs());
    static_cast<void>(WitnessOperations());
    static_cast<void>(WitnessPluginSettings());
    static_cast<void>(WitnessStateFolder());
    static_cast<void>(WitnessLogger());
    static_cast<void>(WitnessCounter());
    static_cast<void>(WitnessGauge());
    static_cast<void>(WitnessHistogram());
    static_cast<void>(WitnessMetrics());
    static_cast<void>(WitnessOrders());
    static_cast<void>(WitnessChange());
    static_cast<void>(WitnessChangeLog());
    static_cast<void>(WitnessChangeReaders());
    static_cast<void>(WitnessProducts());
    static_cast<void>(WitnessProductWalk());
    static_cast<void>(WitnessStock());
    static_cast<void>(WitnessPlugin());
    static_cast<void>(WitnessRequest());
    static_cast<void>(WitnessContent());
    static_cast<void>(WitnessCrypto());
    static_cast<void>(WitnessCacheMemory());
    static_cast<void>(WitnessCache());
    static_cast<void>(WitnessDashboard());
    static_cast<void>(WitnessServerStatus());
    static_cast<void>(WitnessRequestHead());
    static_cast<void>(WitnessRequestAuthenticator());
    static_cast<void>(WitnessRequestObserver());
    static_cast<void>(WitnessBodyStream());
    static_cast<void>(WitnessContentStream());
}

// Types within std::vector and the like are found only when something takes them as they are.
SUPPLIERD_API void take(const Actor&) {}
SUPPLIERD_API void take(const AddressNetwork&) {}
SUPPLIERD_API void take(const RequestSummary&) {}
SUPPLIERD_API void take(const AnsweredRequest&) {}
SUPPLIERD_API void take(const ApiError&) {}
SUPPLIERD_API void take(const ApiKeyRecord&) {}
SUPPLIERD_API void take(const ApprovalOutcome&) {}
SUPPLIERD_API void take(const AuditEntry&) {}
SUPPLIERD_API void take(const AuditRecord&) {}
SUPPLIERD_API void take(const BulkResult&) {}
SUPPLIERD_API void take(const CategoryChange&) {}
SUPPLIERD_API void take(const CategoryRecord&) {}
SUPPLIERD_API void take(const Check&) {}
SUPPLIERD_API void take(const CheckResult&) {}
SUPPLIERD_API void take(const ChangeEntry&) {}
SUPPLIERD_API void take(const CommittedNumbers&) {}
SUPPLIERD_API void take(const ChangePage&) {}
SUPPLIERD_API void take(const ChangedObjects&) {}
SUPPLIERD_API void take(const ConfigError&) {}
SUPPLIERD_API void take(const ConfigKey&) {}
SUPPLIERD_API void take(const CursorParts&) {}
SUPPLIERD_API void take(const DashboardPage&) {}
SUPPLIERD_API void take(const Branding&) {}
SUPPLIERD_API void take(const DatabaseError&) {}
SUPPLIERD_API void take(const Decimal&) {}
SUPPLIERD_API void take(const Detail&) {}
SUPPLIERD_API void take(const Details&) {}
SUPPLIERD_API void take(const HttpError&) {}
SUPPLIERD_API void take(const HttpField&) {}
SUPPLIERD_API void take(const HttpRequest&) {}
SUPPLIERD_API void take(const HttpResponse&) {}
SUPPLIERD_API void take(const HttpRules&) {}
SUPPLIERD_API void take(const IssuedApiKey&) {}
SUPPLIERD_API void take(const RotatedApiKey&) {}
SUPPLIERD_API void take(const ItemResult&) {}
SUPPLIERD_API void take(const ChangeReader&) {}
SUPPLIERD_API void take(const Job&) {}
SUPPLIERD_API void take(const JobStopped&) {}
SUPPLIERD_API void take(const JsonError&) {}
SUPPLIERD_API void take(const JsonArray&) {}
SUPPLIERD_API void take(const JsonDocument&) {}
SUPPLIERD_API void take(const JsonMember&) {}
SUPPLIERD_API void take(const JsonNode&) {}
SUPPLIERD_API void take(const JsonObject&) {}
SUPPLIERD_API void take(const JsonValue&) {}
SUPPLIERD_API void take(const JsonWriter&) {}
SUPPLIERD_API void take(const ListFingerprint&) {}
SUPPLIERD_API void take(const LogField&) {}
SUPPLIERD_API void take(const Migration&) {}
SUPPLIERD_API void take(const ObjectReader&) {}
SUPPLIERD_API void take(const ObserverOptions&) {}
SUPPLIERD_API void take(const OrderAddress&) {}
SUPPLIERD_API void take(const OrderCustomer&) {}
SUPPLIERD_API void take(const OrderGroup&) {}
SUPPLIERD_API void take(const OrderItem&) {}
SUPPLIERD_API void take(const OrderStatusChange&) {}
SUPPLIERD_API void take(const OrderGroupSummary&) {}
SUPPLIERD_API void take(const OrderTracking&) {}
SUPPLIERD_API void take(const Pagination&) {}
SUPPLIERD_API void take(const PlacedOrder&) {}
SUPPLIERD_API void take(const PluginDescription&) {}
SUPPLIERD_API void take(const PluginStatus&) {}
SUPPLIERD_API void take(const PriceItem&) {}
SUPPLIERD_API void take(const Principal&) {}
SUPPLIERD_API void take(const ProductCounts&) {}
SUPPLIERD_API void take(const BatchedProduct&) {}
SUPPLIERD_API void take(const ProductRecord&) {}
SUPPLIERD_API void take(const ProductOffer&) {}
SUPPLIERD_API void take(const ProductRef&) {}
SUPPLIERD_API void take(const QueryReader&) {}
SUPPLIERD_API void take(const RateLimitUsage&) {}
SUPPLIERD_API void take(const FailedRequest&) {}
SUPPLIERD_API void take(const Response&) {}
SUPPLIERD_API void take(const Route&) {}
SUPPLIERD_API void take(const Scope&) {}
SUPPLIERD_API void take(const ServerLoad&) {}
SUPPLIERD_API void take(const SqlParam&) {}
SUPPLIERD_API void take(const StockItem&) {}
SUPPLIERD_API void take(const StockMove&) {}
SUPPLIERD_API void take(const StopSignal&) {}
SUPPLIERD_API void take(const Supplier&) {}

} // namespace supplierd::witness
