#pragma once

#include "Sessions.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/services/Dashboard.h>

#include <string_view>
#include <utility>
#include <vector>

namespace supplierd::dashboard {

/// The pages that other plugins add, and how the marketplace shows itself: the service "supplierd.dashboard/1". Thread:
/// one while plugins start, any afterwards.
class PageRegister final : public Dashboard {
public:
    explicit PageRegister(Branding branding) : _branding(std::move(branding)) {}

    void addPage(DashboardPage page) override;
    const Branding& branding() override { return _branding; }
    bool has(std::string_view id) const;
    /// `[{ id, titles, script, scope }]` of those that are for the user.
    void write(JsonWriter& json, const SignedIn& user) const;

private:
    const Branding _branding;
    std::vector<DashboardPage> _pages;
};

} // namespace supplierd::dashboard
