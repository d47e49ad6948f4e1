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
        Route script{Method::Get, "/wishes/{rest...}", Audience::Public};
        script.handler = [this](Request& request) { return _assets.get(request.pathText("rest"), request.head()); };
        Route list{Method::Get, "/wishes", Audience::Supplier, "wishes:read"};
        list.handler = [](Request& request) {
            Response response = request.reply();
            response.data = R"({"wishes":[{"id":1,"for":"Store","text":"Blue <b>tulips</b>"}]})";
            return response;
        };
        about.routes = {script, list};
        return about;
    }

    void start(Host& host) override {
        DashboardPage page;
        page.id = "wishes";
        page.titles = {{"en", "Wishes"}, {"nl", "Wensen"}};
        page.script = "/wishes/page.js";
        page.scope = "wishes:read";
        host.service<Dashboard>()->addPage(std::move(page));
    }

private:
    Assets _assets{supplierd_test_dashboard_page_generated::assets()};
};

} // namespace supplierd::tests

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::tests::DashboardPagePlugin)
