// A plugin for tests that cannot do without another one of a certain version.
#include <supplierd/Plugin.h>

namespace supplierd::tests {

class DemandingPlugin final : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription about;
        about.summary = "Needs another plugin";
        about.needs = {DEMANDED};
        return about;
    }
    void start(Host& host) override { host.log().information("got what it needs"); }
};

} // namespace supplierd::tests

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::tests::DemandingPlugin)
