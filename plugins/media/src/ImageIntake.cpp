#include "ImageIntake.h"

#include <supplierd/Errors.h>

#include <Poco/Exception.h>
#include <Poco/URI.h>

#include <algorithm>
#include <unordered_map>
#include <variant>

namespace supplierd::media {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int RETRY_SECONDS = 5;
constexpr std::string_view BUSY_CODE = "timeout";
constexpr std::string_view BUSY_TEXT = "the server had no time to look at the image";

/// No worker had time for an image by its deadline.
class WorkersBusy : public std::exception {};

/// What of a request's time is kept for images that arrive at the last moment.
std::chrono::milliseconds reserveOf(std::chrono::milliseconds whole) {
    return std::min<std::chrono::milliseconds>(std::chrono::seconds(5), whole / 4);
}

/// For the log, in place of the URL, which may hold secrets.
std::string hostOf(const std::string& url) {
    try {
        const std::string host = Poco::URI(url).getHost();
        return host.empty() ? "(none)" : host;
    } catch (const Poco::Exception&) {
        return "(none)";
    }
}

} // namespace

/// One call of take(), on its stack.
struct ImageIntake::Run {
    std::span<const std::string> urls;
    StoredImages& images;
    Deadline deadline;
    std::int64_t supplierId;
    /// The others need not be looked at any more.
    std::atomic<bool> hasFailed = false;
    std::atomic<bool> isBusy = false;
    std::atomic<bool> isStopped = false;
};

ImageIntake::ImageIntake(const Dependencies& dependencies)
    : _dependencies(dependencies),
      _workers(dependencies.settings.workers),
      _fetches(std::make_shared<ImageFetcher>(dependencies.settings.fetch,
                                              dependencies.http.withRules(dependencies.settings.rules)),
               dependencies.settings.fetchLimits,
               [this](std::chrono::duration<double> took) { _dependencies.metrics.fetched(took); }) {}

std::unique_ptr<StoredImages> ImageIntake::nothingYet(std::int64_t supplierId) const {
    return std::make_unique<StoredImages>(StoredImages::Context{_dependencies.store, _dependencies.products,
                                                                _dependencies.log, supplierId,
                                                                _dependencies.settings.orphanAge / 2});
}

std::unique_ptr<StoredImages> ImageIntake::take(std::int64_t supplierId, std::span<const std::string> urls) {
    auto images = nothingYet(supplierId);
    std::vector<std::string> distinct;
    std::vector<std::size_t> indexes;
    std::unordered_map<std::string_view, std::size_t> seen;
    for (std::size_t i = 0; i < urls.size(); ++i) {
        if (!seen.emplace(urls[i], i).second)
            continue;
        distinct.push_back(urls[i]);
        indexes.push_back(i);
    }

    const auto whole = _dependencies.settings.requestDeadline;
    const auto begin = Clock::now();
    Run run{urls, *images, begin + whole, supplierId};
    complete(run, [&] {
        _fetches.fetchEach(
            supplierId, distinct, begin + whole - reserveOf(whole),
            [&](std::size_t position, FetchOutcome outcome) { handle(run, indexes[position], std::move(outcome)); });
    });
    return images;
}

std::unique_ptr<StoredImages> ImageIntake::takeFile(std::int64_t supplierId, const std::string& name,
                                                    std::string bytes) {
    auto images = nothingYet(supplierId);
    Run run{{&name, 1}, *images, Clock::now() + _dependencies.settings.requestDeadline, supplierId};
    const std::uint64_t maxBytes = _dependencies.settings.fetch.maxBytes;
    FetchOutcome outcome = FetchedImage{std::move(bytes), {}};
    if (std::get<FetchedImage>(outcome).bytes.size() > maxBytes)
        outcome = FetchError::tooLarge(maxBytes);
    complete(run, [&] { handle(run, 0, std::move(outcome)); });
    return images;
}

void ImageIntake::complete(Run& run, const std::function<void()>& work) {
    try {
        _dependencies.storeId.require(_dependencies.store);
        work();
        if (run.images.count() > 0)
            _dependencies.outage.worked(StoreOutage::Use::Storing);
    } catch (const MediaStoreError& failure) {
        _dependencies.outage.failed(StoreOutage::Use::Storing, failure);
        throw ApiError::unavailable("Images cannot be stored now").withRetryAfter(RETRY_SECONDS);
    } catch (const ImageProcessingUnavailable& failure) {
        _dependencies.log.error("images cannot be looked at", {{"reason", std::string(failure.what())}});
        throw ApiError::unavailable("Images cannot be processed now").withRetryAfter(RETRY_SECONDS);
    }
    _dependencies.metrics.workers(_workers.counts());
    if (run.isStopped)
        throw ApiError::unavailable("The server is being stopped");
    if (run.isBusy && run.images.count() == 0)
        throw ApiError::unavailable("Too many images are waiting to be processed").withRetryAfter(RETRY_SECONDS);
}

void ImageIntake::stop() {
    _fetches.stop();
    _workers.stop();
}

void ImageIntake::handle(Run& run, std::size_t index, FetchOutcome outcome) {
    if (auto* const problem = std::get_if<FetchError>(&outcome)) {
        if (problem->code() == FetchErrorCode::Stopped)
            run.isStopped = true;
        refuse(run, index, codeName(problem->code()), problem->what());
        return;
    }
    if (run.hasFailed)
        return;
    try {
        look(run, index, std::move(std::get<FetchedImage>(outcome).bytes));
    } catch (const WorkersBusy&) {
        run.isBusy = true;
        refuse(run, index, BUSY_CODE, BUSY_TEXT);
    } catch (const std::exception&) {
        run.hasFailed = true;
        throw;
    }
}

void ImageIntake::look(Run& run, std::size_t index, std::string bytes) {
    auto result = process(bytes, run.deadline);
    std::string().swap(bytes);
    if (const auto* const refusal = std::get_if<ImageRefusal>(&result)) {
        refuse(run, index, refusal->code(), refusal->text());
        return;
    }
    const auto& image = std::get<ProcessedImage>(result);
    NewImage row;
    row.type = image.type;
    row.width = image.width;
    row.height = image.height;
    run.images.put(index, std::move(row), image.original, image.thumbnail);
    _dependencies.metrics.accepted(image.original.size() + image.thumbnail.size());
}

ImageResult ImageIntake::process(const std::string& bytes, Deadline deadline) {
    const auto begin = Clock::now();
    try {
        auto result = _workers.process(bytes, deadline);
        _dependencies.metrics.processed(Clock::now() - begin);
        return result;
    } catch (const ImageProcessingUnavailable&) {
        if (Clock::now() >= deadline)
            throw WorkersBusy();
        throw;
    }
}

void ImageIntake::refuse(Run& run, std::size_t index, std::string_view code, std::string_view text) {
    _dependencies.metrics.refused(code);
    _dependencies.log.information(
        "an image was refused",
        {{"supplier_id", run.supplierId}, {"host", hostOf(run.urls[index])}, {"code", std::string(code)}});
    run.images.refuse({index, run.urls[index], std::string(code), std::string(text)});
}

} // namespace supplierd::media
