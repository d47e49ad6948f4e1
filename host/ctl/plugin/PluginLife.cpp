#include "host/ctl/plugin/PluginLife.h"

#include "host/config/CheckedConfig.h"
#include "host/ctl/plugin/DescriptionFindings.h"
#include "host/ctl/plugin/ValidationHost.h"
#include "host/observe/CurrentReason.h"
#include "host/plugins/PluginElf.h"
#include "host/plugins/PluginFolder.h"
#include "host/plugins/PluginLibrary.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace supplierd::host {

namespace {

class PluginLife {
public:
    PluginLife(const PluginSubject& subject, const PluginNoteInfo& note, FindingWriter& findings)
        : _subject(subject), _findings(findings) {
        _plugin.note = note;
    }

    void run() {
        if (!findsItsSymbols() || !load())
            return;
        _findings.enter("judging its description");
        for (const Finding& finding : descriptionFindings(_plugin, _subject.others))
            _findings.add(finding);
        if (configure())
            live();
        _findings.enter("destroying it");
        _plugin.description = {}; // its handlers go before the object that they call
        _plugin.instance.reset();
    }

private:
    /// In a namespace of its own, where no library of this program can stand in for one that it forgot to link.
    bool findsItsSymbols() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        return true; // there a sanitizer's runtime would be loaded a second time, which ends the process
#endif
        _findings.enter("resolving its symbols");
        const std::string file = std::filesystem::absolute(_subject.file).string();
        if (::dlmopen(LM_ID_NEWLM, file.c_str(), RTLD_NOW | RTLD_LOCAL))
            return true;
        const std::string reason = withoutControls(::dlerror());
        constexpr std::string_view MISSING = "undefined symbol: ";
        const std::size_t at = reason.find(MISSING);
        if (at == std::string::npos)
            return true; // no such namespaces here, or something that loading it says better
        const std::string symbol = reason.substr(at + MISSING.size());
        _findings.add({Finding::Level::Error, "symbols",
                       "nothing that it links defines " + demangled(symbol.substr(0, symbol.find_first_of(" ,\n"))),
                       "link what defines it: supplierd_add_plugin(... LIBRARIES ...)"});
        return false;
    }

    bool load() {
        try {
            _findings.enter("loading it");
            const PluginLibrary library(_subject.file);
            _findings.enter("constructing it");
            _plugin.instance = library.create();
            _findings.enter("describe()");
            _plugin.description = describe(_plugin.note, *_plugin.instance);
            return true;
        } catch (const PluginFileError& error) {
            _findings.add({Finding::Level::Error, "load", error.what(), "see the message"});
            return false;
        }
    }

    bool configure() {
        _findings.enter("configure()");
        ConfigProblems problems;
        const auto config =
            CheckedConfig::check(_plugin.description.config, &_subject.configuration,
                                 {"plugins." + _plugin.id(), {}, std::filesystem::current_path()}, problems);
        for (const auto& problem : problems)
            _findings.add({problem.warning ? Finding::Level::Warning : Finding::Level::Error, "configuration",
                           problem.toString(),
                           "give it a value for this examination: --set KEY=VALUE, written as in the file"});
        if (problems.hasErrors())
            return false;
        try {
            _plugin.instance->configure(config);
            _findings.add({Finding::Level::Good, "configuration",
                           fmt::format("{} keys, accepted", _plugin.description.config.size())});
            return true;
        } catch (...) {
            _findings.add({Finding::Level::Error, "configuration", "configure() refuses: " + currentReason(),
                           "give it values that it takes: --set KEY=VALUE; defaults must be good ones"});
            return false;
        }
    }

    void live() {
        ValidationHost validation(_plugin);
        Host& host = validation.host();
        Plugin& plugin = *_plugin.instance;
        bool isUp = attempt("start()", [&] { plugin.start(host); });
        if (isUp) {
            for (const auto& offer : _plugin.description.offers)
                if (!host.findService(offer))
                    _findings.add({Finding::Level::Error, "services",
                                   "start() did not offer the service '" + offer + "'",
                                   "call host.offer() for it, or take it out of PluginDescription::offers"});
            isUp = attempt("ready()", [&] { plugin.ready(); });
            isUp = attempt("drain()", [&] { plugin.drain(); }) && isUp;
        }
        _findings.enter("stop()");
        plugin.stop();
        if (isUp)
            _findings.add({Finding::Level::Good, "life", "it starts, becomes ready, drains and stops"});
        for (const auto& line : validation.complaints())
            _findings.add({Finding::Level::Warning, "log", "it logged: " + line});
    }

    bool attempt(const std::string& stage, const std::function<void()>& step) {
        _findings.enter(stage);
        try {
            step();
            return true;
        } catch (...) {
            const auto& needs = _plugin.description.needs;
            const std::string reason = stage + " failed: " + currentReason();
            if (needs.empty())
                _findings.add({Finding::Level::Error, "life", reason, "see the message; there was an empty database"});
            else
                _findings.add({Finding::Level::Warning, "life",
                               fmt::format("{} (it needs {}, which is not here)", reason, fmt::join(needs, ", ")),
                               "see it run in a server: supplierctl plugin enable " + _plugin.id()});
            return false;
        }
    }

    const PluginSubject& _subject;
    FindingWriter& _findings;
    LoadedPlugin _plugin;
};

} // namespace

void liveThrough(const PluginSubject& subject, const PluginNoteInfo& note, FindingWriter& findings) noexcept {
    PluginLife(subject, note, findings).run();
}

} // namespace supplierd::host
