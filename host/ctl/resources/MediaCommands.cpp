#include "host/ctl/resources/AuditFields.h"
#include "host/ctl/resources/MediaFindings.h"
#include "host/ctl/terminal/CommandFailure.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/InterruptFlag.h"
#include "host/ctl/terminal/ProgressBar.h"

#include <CLI/CLI.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <string>

namespace supplierd::host {
namespace {

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
            _bar.emplace(_context.hints(), _context.isInteractive(), progress.total, _phase);
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
        context.hints() << "not written to the audit log: " << failure.what() << '\n';
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
            context.hints() << "stopped: interrupted; run it again to see the rest\n";
    }
    if (!findings.isGood())
        throw CLI::RuntimeError(static_cast<int>(ExitCode::Failed));
}

} // namespace

void addMediaCommands(CLI::App& program, ControlContext& context) {
    auto* group = program.add_subcommand("media", "Product images: verify");
    group->require_subcommand(1);

    auto repair = std::make_shared<bool>(false);
    auto* command = group->add_subcommand("verify", "Look whether every image has its files, and the reverse");
    command->footer(VERIFY_FOOTER);
    command->add_flag("--repair", *repair, "Mend what is wrong");
    command->callback([&context, repair] { verify(context, *repair); });
}

} // namespace supplierd::host
