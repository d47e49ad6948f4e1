#include "MediaJobs.h"

#include <supplierd/JsonBody.h>
#include <supplierd/JsonWriter.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <thread>
#include <utility>

namespace supplierd::media {

namespace {

// Between pieces, so that the walk takes no more than a part of the disk's and the database's time.
constexpr std::chrono::milliseconds PAUSE{5};

struct Kind {
    std::string_view key;
    std::string_view one;
    std::string_view many;
    std::uint64_t MediaReport::*count;
};

constexpr std::array<Kind, 5> KINDS = {{
    {"orphan_files", "file without an image", "files without an image", &MediaReport::orphanFiles},
    {"broken_images", "image without its file", "images without their file", &MediaReport::brokenImages},
    {"left_images", "image of a deleted product", "images of deleted products", &MediaReport::leftImages},
    {"wrong_primaries", "product with a wrong primary image", "products with a wrong primary image",
     &MediaReport::wrongPrimaries},
    {"unfinished_files", "unfinished file", "unfinished files", &MediaReport::unfinishedFiles},
}};

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
    return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

std::string summaryOf(const MediaReport& report, bool repair) {
    auto text = counted(report.images, "image", "images") + " and " + counted(report.files, "file", "files") + " seen";
    if (report.problems() == 0)
        return text + ", nothing is wrong";
    const char* separator = ": ";
    for (const auto& kind : KINDS)
        if (const auto count = report.*kind.count; count > 0)
            text += std::exchange(separator, ", ") + counted(count, kind.one, kind.many);
    if (!repair)
        return text;
    text += report.left() == 0
                ? std::string("; all repaired")
                : "; " + std::to_string(report.repaired) + " of " + std::to_string(report.problems()) + " repaired";
    return report.bytesFreed == 0 ? text : text + ", " + counted(report.bytesFreed, "byte", "bytes") + " freed";
}

std::string summaryOf(const MediaMoveReport& report, bool clean) {
    auto text = counted(report.files, "file", "files") + " seen, " + std::to_string(report.copied) + " copied (" +
                counted(report.copiedBytes, "byte", "bytes") + "), " + std::to_string(report.alreadyThere) +
                " there already";
    return clean ? text + ", " + std::to_string(report.removed) + " removed from the other store" : text;
}

template <class Write>
std::string jsonOf(const Write& write) {
    std::string text;
    JsonWriter json(text);
    json.beginObject();
    write(json);
    json.endObject();
    return text;
}

void writeNext(JsonWriter& json, const std::string& next) {
    json.key("next");
    if (next.empty())
        json.null();
    else
        json.value(next);
}

bool isTrue(const JsonDocument& input, std::string_view name) {
    const auto value = input.get(name);
    return value.isBoolean() && value.boolean();
}

WalkProgress progressOf(JobRun& run) {
    return [&run](std::string_view what, std::uint64_t done, std::uint64_t total) {
        run.throwIfStopped();
        run.progress(static_cast<std::int64_t>(done), static_cast<std::int64_t>(total), what);
    };
}

} // namespace

void MediaJobs::tidy(JobRun& run) const {
    _dependencies.move.storeId.require(_dependencies.check.store);
    if (_dependencies.hold.isInForce()) {
        run.report("a backup is being made, which needs every file: nothing was removed");
        return;
    }
    const WalkProgress progress = [&run](std::string_view, std::uint64_t, std::uint64_t) {
        std::this_thread::sleep_for(PAUSE);
        run.throwIfStopped();
    };
    StoreConsistencyCheck check(_dependencies.check, true, progress);
    check.checkFiles();
    check.checkImages(true);
    const MediaReport& report = check.report();
    run.report("removed " + std::to_string(report.orphanFiles) + " files without an image and " +
               std::to_string(report.leftImages) + " images of deleted products");
    if (report.orphanFiles + report.leftImages + report.unfinishedFiles > 0)
        _dependencies.log.information("the janitor removed files",
                                      {{"orphan_files", static_cast<std::int64_t>(report.orphanFiles)},
                                       {"images_of_deleted_products", static_cast<std::int64_t>(report.leftImages)},
                                       {"unfinished_files", static_cast<std::int64_t>(report.unfinishedFiles)},
                                       {"bytes", static_cast<std::int64_t>(report.bytesFreed)}});
}

void MediaJobs::verify(JobRun& run) const {
    const bool repair = isTrue(parseJson(run.input()), "repair");
    if (repair && _dependencies.hold.isInForce())
        throw std::runtime_error(
            "a backup is being made, which needs every file; try again when it is done (one that was "
            "killed holds for a quarter of an hour)");
    _dependencies.move.storeId.requireStill(_dependencies.check.store);
    const auto progress = progressOf(run);
    StoreConsistencyCheck check(_dependencies.check, repair, progress);
    check.requireStore();
    const MediaReport& report = check.report();
    try {
        check.checkFiles();
        check.checkImages(false);
        check.checkProducts();
    } catch (const JobStopped&) { // the next run repairs the rest
        recordRepair(run, report, {});
        throw;
    } catch (const std::exception& failure) {
        if (repair)
            recordRepair(run, report, failure.what());
        throw;
    }
    recordRepair(run, report, {});
    const auto summary = summaryOf(report, repair);
    run.report(summary);
    run.output(jsonOf([&](JsonWriter& json) {
        json.field("good", report.left() == 0).field("files", report.files).field("images", report.images);
        for (const auto& kind : KINDS)
            json.field(kind.key, report.*kind.count);
        json.field("repaired", report.repaired).field("bytes_freed", report.bytesFreed);
        json.key("findings").beginArray();
        for (const auto& finding : report.findings)
            json.value(finding);
        json.endArray().field("summary", summary);
        writeNext(json, repair || report.problems() == 0 ? "" : "supplierctl media verify --repair");
    }));
}

void MediaJobs::move(JobRun& run) const {
    const auto input = parseJson(run.input());
    const auto wanted = input.get("to");
    const auto to = wanted.isText() ? storeKindOf(wanted.text()) : std::nullopt;
    if (!to)
        throw std::runtime_error("nobody has said where to: supplierctl media move --to s3");
    const bool clean = isTrue(input, "clean");
    _dependencies.move.storeId.requireStill(_dependencies.check.store);
    const auto progress = progressOf(run);
    const std::string name(storeKindName(*to));
    StoreMove move(_dependencies.move, *to, progress);
    try {
        move.run(clean);
    } catch (const std::exception&) { // what was copied stays there; the next run goes on
        recordMove(run, name, move.report());
        throw;
    }
    const auto& report = move.report();
    recordMove(run, name, report);
    const auto summary = summaryOf(report, clean);
    run.report(summary);
    run.output(jsonOf([&](JsonWriter& json) {
        json.field("to", name).field("complete", true).field("files", report.files).field("copied", report.copied);
        json.field("copied_bytes", report.copiedBytes).field("removed", report.removed);
        json.field("already_there", report.alreadyThere).field("summary", summary);
        writeNext(json, report.next);
    }));
}

/// Not within the run's own transactions: what was done is recorded also when another server has taken the job over.
void MediaJobs::record(std::string_view verb, const JobRun& run, std::string after) const {
    auto entry = auditEntry({run.requestedBy().empty() ? "supplierd" : run.requestedBy()}, "media", verb, 0, {});
    entry.after = std::move(after);
    try {
        _dependencies.check.database.withTransaction(
            [&](Transaction& transaction) { _dependencies.audit.record(transaction, entry); });
    } catch (const std::exception& failure) {
        _dependencies.log.error("what was done to stored images is not in the audit log",
                                {{"action", entry.action},
                                 {"actor", entry.actor},
                                 {"after", entry.after},
                                 {"reason", std::string(failure.what())}});
    }
}

void MediaJobs::recordRepair(const JobRun& run, const MediaReport& report, std::string_view brokenOff) const {
    if (report.repaired == 0 && brokenOff.empty())
        return;
    record("repair", run, jsonOf([&](JsonWriter& json) {
               for (const auto& kind : KINDS)
                   if (const auto count = report.*kind.count; count > 0)
                       json.field(kind.key, count);
               json.field("repaired", report.repaired);
               if (report.bytesFreed > 0)
                   json.field("bytes_freed", report.bytesFreed);
               if (!brokenOff.empty())
                   json.field("broken_off", brokenOff);
           }));
}

void MediaJobs::recordMove(const JobRun& run, const std::string& to, const MediaMoveReport& report) const {
    if (report.copied + report.removed == 0)
        return;
    record("move", run, jsonOf([&](JsonWriter& json) {
               json.field("to", to).field("files", report.files).field("copied", report.copied);
               json.field("copied_bytes", report.copiedBytes).field("removed", report.removed);
           }));
}

} // namespace supplierd::media
