#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Host.h>
#include <supplierd/Request.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace supplierd {

/// A page that a plugin adds to the dashboard, with an entry in its menu.
struct SUPPLIERD_API DashboardPage {
    /// 1 to 32 of a-z, 0-9 and -, unique: the page is `/dashboard/#/x/<id>`.
    std::string id;
    /// The entry, by language: {{"en", "Notes"}, {"nl", "Notities"}}. "en" has to be there.
    std::map<std::string, std::string> titles = {};
    /// Whose page it is: Audience::Supplier or Audience::Operator.
    Audience audience = Audience::Supplier;
    /// An ES module on this server: the path of a public route of the plugin, "/notes/page.js". Its default export is a
    /// function `({ html, get, post, textsOf, useLoad, … }) => component`; DASHBOARD-PAGES.md beside the SDK's guide
    /// has the whole list, which only grows.
    std::string script = {};
    /// What a user must be allowed to see the entry; empty: nothing. The routes that the page calls check for
    /// themselves.
    std::string scope = {};
    Reserved reserved = {};
};

/// How the marketplace shows itself on pages, by the configuration of the plugin `dashboard`. Since 1.0.
struct SUPPLIERD_API Branding {
    std::string name; ///< empty: none was given
    /// An SVG image; empty: none was given.
    std::string logo = {};
    /// A style sheet with the colours, for pages that are made of Pico CSS or of the dashboard's style; empty: the
    /// usual ones.
    std::string style = {};
    Reserved reserved = {};
};

/// Offered by the plugin `dashboard`. A page calls the routes of its plugin (Audience::Supplier or Operator) as the
/// dashboard's own pages do: with the session of whoever is signed in. Thread: any. Since 1.0.
class SUPPLIERD_API Dashboard {
public:
    static constexpr std::string_view ID = "supplierd.dashboard/1";

    /// Call in start(). Throws std::invalid_argument for an id, a title or a path that is none, std::logic_error for an
    /// id that is taken.
    virtual void addPage(DashboardPage page) = 0;

    /// From start() on, and always the same.
    virtual const Branding& branding() = 0;

protected:
    ~Dashboard() = default;
};

/// Adds a page where the plugin `dashboard` is enabled, and does nothing where it is not. Call in start(), with
/// Dashboard::ID in PluginDescription::after. Throws as Dashboard::addPage() does. Since 1.0.
inline void addDashboardPage(Host& host, DashboardPage page) {
    if (Dashboard* const dashboard = host.service<Dashboard>())
        dashboard->addPage(std::move(page));
}

} // namespace supplierd
