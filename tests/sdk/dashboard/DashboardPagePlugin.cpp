#include <supplierd/Assets.h>
#include <supplierd/Plugin.h>
#include <supplierd/services/Dashboard.h>

#include <TestDashboardPageAssets.h>

namespace supplierd::tests {

/// A page with an entry in the suppliers' menu, its script, and the route that it calls.
class DashboardPagePlugin final : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription about;
        about.summary = "Wishes of customers, for tests";
        about.needs = {std::string(Dashboard::ID)};
        about.scopes = {{"wishes:read", "Read wishes"}};
        Route list{Method::Get, "/wishes", Audience::Supplier, "wishes:read"};
        list.handler = [](Request& request) {
            Response response = request.reply();
            response.data = R"({"wishes":[{"id":1,"for":"Store","text":"Blue <b>tulips</b>"}]})";
            return response;
        };
        about.routes = {_assets.route("/wishes/{rest...}"), list};
        return about;
    }

    void start(Host& host) override {
        addDashboardPage(host, {.id = "wishes",
                                .titles = {{"en", "Wishes"}, {"nl", "Wensen"}},
                                .script = "/wishes/page.js",
                                .scope = "wishes:read"});
    }

private:
    Assets _assets{supplierd_test_dashboard_page_generated::assets()};
};

} // namespace supplierd::tests

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::tests::DashboardPagePlugin)
