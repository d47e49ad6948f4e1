#include "host/ctl/AuditFields.h"
#include "host/ctl/CommandFailure.h"
#include "host/ctl/Commands.h"
#include "host/ctl/ControlContext.h"
#include "host/ctl/InterruptFlag.h"
#include "host/ctl/MediaFindings.h"
#include "host/ctl/ProgressBar.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>

namespace supplierd::host {
namespace {

constexpr const char* VERIFY_FOOTER = R"(
Compares the stored files with the database, both ways, while the server runs. Files younger than the janitor's limit
are left alone: an upload may be about to use them. --repair removes files that no image has and images of deleted
products, takes images without a file from their product, and sets primary images right; it is written to the audit log.
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

MediaFindings look(ControlContext& context, bool repair) {
    auto& library = context.service<MediaLibrary>();
    const InterruptFlag interrupt;
    PhaseBars bars(context);
    MediaFindings findings;
    findings.repair = repair;
    findings.report = library.verify(repair, [&](const MediaProgress& progress) {
        bars.show(progress);
        findings.interrupted = interrupt.isRaised();
        return !findings.interrupted;
    });
    return findings;
}

void record(ControlContext& context, const MediaFindings& findings) {
    context.database().withTransaction([&](Transaction& transaction) {
        context.record(transaction, {.action = "media.repair",
                                     .object = "media",
                                     .after = auditFields([&](JsonWriter& json) { findings.appendCounts(json); })});
    });
}

void verify(ControlContext& context, bool repair) {
    const auto findings = look(context, repair);
    if (findings.report.repaired > 0)
        record(context, findings);
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
