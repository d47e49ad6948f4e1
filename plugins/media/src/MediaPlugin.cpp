#include "FileRoute.h"
#include "ImageIngestService.h"
#include "ImageRoutes.h"
#include "ImageUploadRoute.h"
#include "MediaJobs.h"
#include "MediaMetrics.h"
#include "MediaOperatorRoutes.h"
#include "MediaSettings.h"
#include "library/HeldStore.h"
#include "library/KnownFiles.h"
#include "library/MediaStores.h"
#include "library/RemovalHold.h"
#include "library/StoreId.h"
#include "library/StoreOutage.h"
#include "mediaMigrations.h"
#include "mediaOpenApi.h"

#include <supplierd/Plugin.h>
#include <supplierd/services/HttpClient.h>
#include <supplierd/services/Jobs.h>
#include <supplierd/services/Operations.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd::media {

namespace {

/// An HttpClient with the rules by which images are fetched: who keeps URLs for later may check() them there.
constexpr std::string_view IMAGE_HTTP = "supplierd.image-http/1";

constexpr std::string_view STORED_FILES = R"(
SELECT file_key, bytes FROM product_images
UNION ALL
SELECT thumbnail_key, thumbnail_bytes FROM product_images)";

/// What `supplierctl doctor` says of a bucket: two requests within the five seconds that a check has.
CheckResult checkBucket(S3Settings settings) {
    settings.requestTimeout = std::min(settings.requestTimeout, std::chrono::milliseconds(2'000));
    settings.timeout = std::min(settings.timeout, std::chrono::milliseconds(2'000));
    const std::string name = "the bucket \"" + settings.bucket + "\" at " + settings.endpoint;
    try {
        const S3MediaStore store(settings);
        store.mark();
        store.list({}, 1);
        const auto ahead = store.clockDifference();
        if (std::chrono::abs(ahead) > std::chrono::minutes(5))
            return {CheckResult::Level::Warning,
                    name + ": its clock differs from this host's by " +
                        std::to_string(std::chrono::abs(ahead).count()) +
                        " seconds; from 15 minutes on it refuses all requests",
                    "set the clock right: timedatectl set-ntp true"};
        return {CheckResult::Level::Good, name + " can be read and listed", ""};
    } catch (const MediaStoreError& failure) {
        return {CheckResult::Level::Error, failure.what(),
                failure.kind() == MediaStoreError::Kind::Refused
                    ? "correct [plugins.media.s3], then restart the server"
                    : "see whether the store runs and is reached from here"};
    }
}

/// What `supplierctl doctor` says of the store that the server would use.
CheckResult checkOwner(MediaStore& store, StoreId& id) {
    try {
        id.requireStill(store);
        return {CheckResult::Level::Good,
                id.value().empty() ? "no server has begun with one yet"
                                   : "it is this database's, says " + store.markPlace(),
                ""};
    } catch (const MediaStoreError& failure) {
        return {CheckResult::Level::Error, failure.what(),
                "as the message says; until then requests with images are 503"};
    }
}

/// Images of products: fetched, checked, stored, served.
class MediaPlugin : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription description;
        description.summary = "Images of products: fetched from URLs, checked, stored and served";
        description.openapi = supplierd_media_generated::openapi();
        description.config = MediaSettings::keys();
        description.migrations = supplierd_media_generated::migrations();
        description.needs = {"catalog"};
        description.offers = {std::string(ImageIngest::ID), std::string(ImageUploads::ID), std::string(IMAGE_HTTP)};
        description.storedFiles = STORED_FILES;
        describeRoutes(description.routes);
        return description;
    }

    void configure(const Config& config) override { _settings = MediaSettings::read(config); }

    void start(Host& host) override {
        _log = &host.log();
        _audit = &host.require<AuditLog>();
        _products = &host.require<ProductImages>();
        _metrics.emplace(host.metrics());
        _stores.emplace(_settings,
                        [this](std::string_view operation, std::string_view outcome,
                               std::chrono::duration<double> took) { _metrics->storeAsked(operation, outcome, took); });
        _mark.emplace(host.database());
        _outage.emplace(*_log, *_metrics);
        _knownFiles.emplace(host.database());
        _hold.emplace(host.database(), host.require<PluginSettings>());
        _heldStore.emplace(store(), *_hold);
        _ingest.emplace(ImageIntake::Dependencies{_settings, *_heldStore, *_mark, *_outage, *_products, *_log,
                                                  host.require<HttpClient>(), *_metrics});
        _uploads.emplace(*_ingest, *_products, *_audit);
        _uploadRoute.emplace(*_uploads);
        host.offer<ImageIngest>(*_ingest);
        host.offer<ImageUploads>(*_uploads);
        HttpRules rules = _settings.rules;
        rules.trustedCertificatesFile.clear(); // to look at URLs alone
        _imageHttp = host.require<HttpClient>().withRules(rules);
        host.offerService(IMAGE_HTTP, static_cast<void*>(_imageHttp.get()));
        addJobs(host);
        host.require<Operations>().addCheck(
            {_stores->s3() ? "S3 store" : "store of images", [this] { return checkStore(); }});
    }

    /// Only a server comes here with a database that keeps what it is told: `supplierctl plugin validate` starts
    /// plugins, too.
    void ready() override {
        claimStore();
        _ingest->open();
    }

    void drain() override { end(); }

    void stop() noexcept override {
        end();
        _imageHttp.reset();
        _uploadRoute.reset();
        _uploads.reset();
        _ingest.reset();
        _background.reset();
        _heldStore.reset();
        _hold.reset();
        _knownFiles.reset();
        _outage.reset();
        _mark.reset();
        _stores.reset();
        _metrics.reset();
    }

private:
    void describeRoutes(std::vector<Route>& routes) {
        const auto product = [&](Method method, const std::string& path, std::string scope, Body body,
                                 Response (ImageRoutes::*handler)()) {
            routes.push_back({method, "/products/{id:int}/images" + path, Audience::Supplier, std::move(scope), body,
                              [this, handler](Request& request) {
                                  return (ImageRoutes(request, *_ingest, *_products, *_audit).*handler)();
                              }});
        };
        product(Method::Get, "", "products:read", Body::None, &ImageRoutes::list);
        product(Method::Post, "", "products:write", Body::Json, &ImageRoutes::add);
        product(Method::Post, "/{image_id:int}/delete", "products:write", Body::None, &ImageRoutes::remove);
        product(Method::Post, "/{image_id:int}/primary", "products:write", Body::None, &ImageRoutes::makePrimary);
        product(Method::Post, "/order", "products:write", Body::Json, &ImageRoutes::setOrder);
        Route upload{Method::Post, "/products/{id:int}/images/upload", Audience::Supplier, "products:write", Body::Raw};
        upload.maxBody = ImageUploadRoute::MAX_BODY;
        upload.accepts = {"image/jpeg", "image/png", "image/webp", "application/octet-stream"};
        upload.admit = [this](Request& request) { return _uploadRoute->admit(request); };
        upload.handler = [this](Request& request) { return _uploadRoute->respond(request); };
        routes.push_back(std::move(upload));
        Route file{Method::Get, "/media/{a}/{b}/{name}", Audience::Public};
        file.handler = [this](Request& request) {
            const bool redirects = _settings.redirects && _settings.s3;
            return sendFile(request, {store(), *_mark, *_outage, *_knownFiles,
                                      redirects ? std::optional(_settings.s3->urlExpiry) : std::nullopt});
        };
        file.perMinute = -1; // a shop's page shows many at once, and a CDN has one address
        routes.push_back(std::move(file));
        auto operators = MediaOperatorRoutes::describe([this] {
            return MediaOperatorRoutes::Dependencies{*_jobs, store(), *_mark, *_hold};
        });
        std::move(operators.begin(), operators.end(), std::back_inserter(routes));
    }

    void addJobs(Host& host) {
        _background.emplace(MediaJobs::Dependencies{
            {host.database(), *_heldStore, *_products, *_metrics, _settings.orphanAge, _settings.workers},
            {host.database(), *_stores, *_mark, _settings},
            *_hold,
            *_audit,
            *_log});
        _jobs = &host.require<Jobs>();
        const auto add = [&](const char* name, std::chrono::milliseconds every, void (MediaJobs::*work)(JobRun&) const,
                             const char* command = "") {
            _jobs->add({name, every, [this, work](JobRun& run) { ((*_background).*work)(run); }, command});
        };
        add("janitor", _settings.janitorInterval, &MediaJobs::tidy);
        add("verify", {}, &MediaJobs::verify);
        add("move", {}, &MediaJobs::move, "media move --to s3|folder");
    }

    MediaStore& store() { return _stores->current(); }

    CheckResult checkStore() {
        if (!_stores->s3())
            return checkOwner(store(), *_mark);
        CheckResult bucket = checkBucket(*_settings.s3);
        if (bucket.level == CheckResult::Level::Error)
            return bucket; // one that hangs is not asked twice
        CheckResult owner = checkOwner(store(), *_mark);
        return owner.level == CheckResult::Level::Good ? bucket : owner;
    }

    /// A folder that is not mounted, or an S3 store that is away, must not keep the server from all else:
    /// StoreId::require() asks again.
    void claimStore() {
        try {
            _mark->claim(store());
        } catch (const MediaStoreError& failure) {
            const bool isAway = _stores->s3() != nullptr && failure.kind() == MediaStoreError::Kind::Unreachable;
            if (!isAway && failure.kind() != MediaStoreError::Kind::Foreign)
                throw;
            _outage->failed(StoreOutage::Use::Storing, failure);
        }
    }

    void end() noexcept {
        if (_ingest)
            _ingest->close();
    }

    MediaSettings _settings;
    Logger* _log = nullptr;
    AuditLog* _audit = nullptr;
    Jobs* _jobs = nullptr;
    ProductImages* _products = nullptr;
    std::unique_ptr<HttpClient> _imageHttp;
    std::optional<MediaMetrics> _metrics;
    std::optional<MediaStores> _stores;
    std::optional<StoreId> _mark;
    std::optional<StoreOutage> _outage;
    std::optional<KnownFiles> _knownFiles;
    std::optional<RemovalHold> _hold;
    std::optional<HeldStore> _heldStore;
    std::optional<MediaJobs> _background;
    std::optional<ImageIngestService> _ingest;
    std::optional<ImageUploadsService> _uploads;
    std::optional<ImageUploadRoute> _uploadRoute;
};

} // namespace

} // namespace supplierd::media

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::media::MediaPlugin)
