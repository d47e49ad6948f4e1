#include "host/ctl/resources/ResourceCommands.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/InterruptFlag.h"
#include "host/ctl/terminal/ProgressBar.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/services/MediaLibrary.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
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

/// What `media verify` found, for people, for programs and for the audit log.
struct MediaFindings {
    MediaReport report;
    bool repair = false;
    bool interrupted = false;

    /// Nothing is wrong, or nothing is wrong any more; and everything was looked at.
    bool isGood() const { return !interrupted && left() == 0; }
    std::uint64_t left() const { return report.problems() - std::min(report.repaired, report.problems()); }

    /// Several lines.
    std::string describe() const {
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
        text += left() == 0 ? std::string("all mended")
                            : fmt::format("{} of {} mended", report.repaired, report.problems());
        if (report.bytesFreed > 0)
            text += fmt::format(", {} freed", counted(report.bytesFreed, "byte", "bytes"));
        return text + "\n";
    }

    void appendJson(JsonWriter& json) const {
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

    /// The counts alone, those that are not 0.
    void appendCounts(JsonWriter& json) const {
        for (const auto& kind : KINDS)
            if (const auto count = report.*kind.count; count > 0)
                json.field(kind.key, count);
        json.field("repaired", report.repaired);
        if (report.bytesFreed > 0)
            json.field("bytes_freed", report.bytesFreed);
    }
};

constexpr const char* VERIFY_FOOTER = R"(
Compares the stored files with the database, both ways, while the server runs. Files younger than the janitor's limit
are left alone: an upload may be about to use them. --repair removes files that no image has and images of deleted
products, takes images without a file from their product, makes lost thumbnails anew, and sets primary images right; it is
written to the audit log.
Running it again is safe. Exit code 1 when something is wrong (with --repair: still wrong), or when it was interrupted.)";

/// A bar for each phase, since each counts something else.
class PhaseBars {
public:
    explicit PhaseBars(ControlContext& context) : _context(context) {}

    void show(const MediaProgress& progress) {
        if (!_bar || progress.phase != _phase) {
            _bar.reset();
            _phase = progress.phase;
            _bar.emplace(_context.err(), _context.isInteractive(), progress.total, _phase);
        }
        _bar->show(progress.done, 0);
    }

private:
    ControlContext& _context;
    std::string _phase;
    std::optional<ProgressBar> _bar;
};

/// `begun` becomes true as soon as something may have been mended.
MediaFindings look(ControlContext& context, bool repair, bool& begun) {
    auto& library = context.service<MediaLibrary>();
    const InterruptFlag interrupt;
    PhaseBars bars(context);
    MediaFindings findings;
    findings.repair = repair;
    findings.report = library.verify(repair, [&](const MediaProgress& progress) {
        begun = true;
        bars.show(progress);
        findings.interrupted = interrupt.isRaised();
        return !findings.interrupted;
    });
    return findings;
}

void record(ControlContext& context, const std::string& after) {
    context.database().withTransaction([&](Transaction& transaction) {
        context.record(transaction, {.action = "media.repair", .object = "media", .after = after});
    });
}

/// A repair that breaks off may have mended something before; how much, nobody knows.
void recordBrokenOff(ControlContext& context, const char* problem) noexcept {
    try {
        record(context, auditFields([&](JsonWriter& json) { json.field("broken_off", problem); }));
    } catch (const std::exception& failure) {
        context.err() << "not written to the audit log: " << failure.what() << '\n';
    }
}

void verify(ControlContext& context, bool repair) {
    MediaFindings findings;
    bool begun = false;
    try {
        findings = look(context, repair, begun);
    } catch (const std::exception& problem) {
        if (repair && begun)
            recordBrokenOff(context, problem.what());
        throw;
    }
    if (findings.report.repaired > 0)
        record(context, auditFields([&](JsonWriter& json) { findings.appendCounts(json); }));
    if (context.json)
        context.printJson([&](JsonWriter& json) { findings.appendJson(json); });
    else {
        context.out() << findings.describe();
        if (findings.interrupted)
            context.err() << "stopped: interrupted; run it again to see the rest\n";
    }
    if (!findings.isGood())
        throw CLI::RuntimeError(static_cast<int>(ExitCode::Failed));
}

constexpr const char* MOVE_FOOTER = R"(
Copies what the other store has and this one has not, while the servers run, compares every copy, and removes nothing without
--clean. Interrupted at any time, it goes on where it was when it is run again. The whole way, from the folder to S3:

  1. fill [plugins.media.s3], set moving = true and store = "s3", restart the servers (of several: set moving = true on all
     of them first, and store = "s3" when all have it). Both stores are used now; new images go to S3
  2. supplierctl media move --to s3
  3. set moving = false, restart the servers
  4. supplierctl media move --to s3 --clean, once no server uses the folder any more (a forgotten one would find nothing there)
     and a backup of it is not wanted

The way back is the same with --to folder. It is written to the audit log. Exit code 1 when it was interrupted or cannot be
done.)";

/// What `media move` is to do, and did.
struct MediaRelocation {
    MediaMove wish;
    MediaMoveReport report;
    bool interrupted = false;

    std::string describe() const {
        const std::string stop = interrupted ? "stopped: interrupted; run it again to go on\n" : "";
        std::string text =
            fmt::format("{} seen, {} copied ({}), {} there already", counted(report.files, "file", "files"),
                        report.copied, counted(report.copiedBytes, "byte", "bytes"), report.alreadyThere);
        if (wish.clean)
            text += fmt::format(", {} removed from the other store", report.removed);
        return text + "\n" + stop + (report.next.empty() ? "" : "next: " + report.next + "\n");
    }

    void appendJson(JsonWriter& json) const {
        json.field("to", wish.to).field("complete", report.isComplete);
        appendCounts(json);
        json.field("already_there", report.alreadyThere).key("stop_reason");
        if (interrupted)
            json.value("interrupted");
        else
            json.null();
        json.key("next");
        if (report.next.empty())
            json.null();
        else
            json.value(report.next);
    }

    void appendCounts(JsonWriter& json) const {
        json.field("files", report.files)
            .field("copied", report.copied)
            .field("copied_bytes", report.copiedBytes)
            .field("removed", report.removed);
    }
};

void move(ControlContext& context, MediaRelocation work) {
    auto& library = context.service<MediaLibrary>();
    {
        const InterruptFlag interrupt;
        PhaseBars bars(context);
        work.report = library.move(work.wish, [&](const MediaProgress& progress) {
            bars.show(progress);
            work.interrupted = interrupt.isRaised();
            return !work.interrupted;
        });
    }
    if (work.report.copied + work.report.removed > 0)
        context.database().withTransaction([&](Transaction& transaction) {
            const auto after = auditFields([&](JsonWriter& json) {
                json.field("to", work.wish.to);
                work.appendCounts(json);
            });
            context.record(transaction, {.action = "media.move", .object = "media", .after = after});
        });
    if (context.json)
        context.printJson([&](JsonWriter& json) { work.appendJson(json); });
    else
        context.out() << work.describe();
    if (!work.report.isComplete)
        throw CLI::RuntimeError(static_cast<int>(ExitCode::Failed));
}

} // namespace

void addMediaCommands(CLI::App& program, ControlContext& context) {
    auto* group = program.add_subcommand("media", "Product images: verify, move");
    group->require_subcommand(1);

    auto repair = std::make_shared<bool>(false);
    auto* command = group->add_subcommand("verify", "Look whether every image has its files, and the reverse");
    command->footer(VERIFY_FOOTER);
    command->add_flag("--repair", *repair, "Mend what is wrong");
    command->callback([&context, repair] { verify(context, *repair); });

    auto options = std::make_shared<MediaRelocation>();
    auto* moving = group->add_subcommand("move", "Copy all images from the folder to an S3 store, or back");
    moving->footer(MOVE_FOOTER);
    moving->add_option("--to", options->wish.to, "Where to: s3 or folder")
        ->required()
        ->check(CLI::IsMember({"s3", "folder"}));
    moving->add_flag("--clean", options->wish.clean, "Afterwards take from the other store what this one has");
    moving->callback([&context, options] { move(context, *options); });
}

} // namespace supplierd::host
