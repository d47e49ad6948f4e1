#pragma once

#include "Sessions.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/services/Dashboard.h>

#include <string_view>
#include <vector>

namespace supplierd::dashboard {

/// The pages that other plugins add: the service "supplierd.dashboard/1". Thread: one while plugins start, any
/// afterwards.
class PageRegister final : public Dashboard {
public:
    void addPage(DashboardPage page) override;
    bool has(std::string_view id) const;
    /// `[{ id, titles, script, scope }]` of those that are for the user.
    void write(JsonWriter& json, const SignedIn& user) const;

private:
    std::vector<DashboardPage> _pages;
};

} // namespace supplierd::dashboard
