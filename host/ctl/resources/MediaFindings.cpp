#include "host/ctl/resources/MediaFindings.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace supplierd::host {

namespace {

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
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string listProblems(const MediaReport& report) {
    std::string text;
    for (const auto& kind : KINDS)
        if (const auto count = report.*kind.count; count > 0)
            text += (text.empty() ? "" : ", ") + counted(count, kind.one, kind.many);
    return text;
}

} // namespace

std::string MediaFindings::describe() const {
    std::string text;
    for (const auto& finding : report.findings)
        text += finding + "\n";
    if (const auto untold = report.problems() - std::min<std::uint64_t>(report.problems(), report.findings.size());
        untold > 0 && !report.findings.empty())
        text += fmt::format("... and {} more\n", untold);
    text += counted(report.images, "image", "images") + " and " + counted(report.files, "file", "files") + " seen";
    if (report.isClean())
        return text + (interrupted ? ", nothing wrong so far\n" : ", nothing is wrong\n");
    text += ": " + listProblems(report) + "\n";
    if (!repair)
        return text + "mend that with: supplierctl media verify --repair\n";
    text +=
        left() == 0 ? std::string("all mended") : fmt::format("{} of {} mended", report.repaired, report.problems());
    if (report.bytesFreed > 0)
        text += fmt::format(", {} freed", counted(report.bytesFreed, "byte", "bytes"));
    return text + "\n";
}

void MediaFindings::appendJson(JsonWriter& json) const {
    json.field("good", isGood()).field("files", report.files).field("images", report.images);
    for (const auto& kind : KINDS)
        json.field(kind.key, report.*kind.count);
    json.field("repaired", report.repaired).field("bytes_freed", report.bytesFreed).key("stop_reason");
    if (interrupted)
        json.value("interrupted");
    else
        json.null();
    json.key("findings").beginArray();
    for (const auto& finding : report.findings)
        json.value(finding);
    json.endArray();
}

void MediaFindings::appendCounts(JsonWriter& json) const {
    for (const auto& kind : KINDS)
        if (const auto count = report.*kind.count; count > 0)
            json.field(kind.key, count);
    json.field("repaired", report.repaired);
    if (report.bytesFreed > 0)
        json.field("bytes_freed", report.bytesFreed);
}

} // namespace supplierd::host
