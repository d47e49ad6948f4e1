#include "host/plugins/PluginInspection.h"

#include "host/plugins/IsolatedRun.h"

#include <chrono>

namespace supplierd::host {

namespace {

constexpr std::chrono::seconds LIMIT{30};
/// What a finding stands for here.
constexpr std::string_view ID = "id";
constexpr std::string_view NEEDS = "needs";
constexpr std::string_view OFFERS = "offers";
constexpr std::string_view MIGRATIONS = "migrations";
constexpr std::string_view PROBLEM = "problem";

void report(const PluginFacts& facts, FindingWriter& writer) {
    const auto add = [&](std::string_view what, const std::string& value) {
        writer.add({Finding::Level::Good, std::string(what), value});
    };
    for (const std::string& need : facts.needs)
        add(NEEDS, need);
    for (const std::string& offer : facts.offers)
        add(OFFERS, offer);
    if (facts.hasMigrations)
        add(MIGRATIONS, "");
    add(ID, facts.id);
}

PluginFacts factsOf(const Findings& findings) {
    PluginFacts facts;
    for (const Finding& finding : findings) {
        if (finding.check == PROBLEM)
            throw PluginFileError(finding.message);
        if (finding.check == ID)
            facts.id = finding.message;
        else if (finding.check == NEEDS)
            facts.needs.push_back(finding.message);
        else if (finding.check == OFFERS)
            facts.offers.push_back(finding.message);
        else if (finding.check == MIGRATIONS)
            facts.hasMigrations = true;
    }
    return facts;
}

constexpr std::string_view ADVICE =
    "; the file is damaged, or its code is wrong: install its package again, or run: supplierctl plugin disable ";

} // namespace

PluginFacts inspectPluginApart(const std::filesystem::path& file) {
    const auto work = [&](FindingWriter& writer) noexcept {
        try {
            report(inspectPlugin(file), writer);
        } catch (const PluginFileError& error) {
            writer.add({Finding::Level::Error, std::string(PROBLEM), error.what()});
        }
    };
    const IsolatedOutcome outcome = runIsolated(work, LIMIT);
    const PluginFacts facts = factsOf(outcome.findings);
    // The id is reported last, when all else has been.
    if (facts.id.empty()) {
        const std::string id = file.stem().string();
        throw PluginFileError(
            notLoaded(id, file, "when it was looked at, " + describeEnd(outcome) + std::string(ADVICE) + id));
    }
    return facts;
}

PluginSymlinks pluginSymlinks(const ServerSettings& settings) {
    return {settings.pluginDir, settings.pluginsEnabled, inspectPluginApart};
}

PluginSet loadPlugins(const Settings& settings, Diagnostics& problems) {
    const auto trial = [&](FindingWriter& writer) noexcept {
        Diagnostics ignored; // the second loading finds them again
        const PluginSet plugins =
            PluginSet::load(settings, ignored, [&](const std::string& step) { writer.enter(step); });
        writer.enter("unloading the plugins");
    };
    const IsolatedOutcome outcome = runIsolated(trial, LIMIT);
    if (outcome.end == IsolatedOutcome::End::Finished)
        return PluginSet::load(settings, problems);
    problems.error(outcome.stage + ": " + describeEnd(outcome) + std::string(ADVICE) + "ID");
    return {};
}

} // namespace supplierd::host
