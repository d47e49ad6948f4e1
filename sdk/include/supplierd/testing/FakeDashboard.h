#pragma once

#include <supplierd/services/Dashboard.h>

#include <utility>
#include <vector>

namespace supplierd::testing {

/// Keeps the pages that a plugin adds; nothing of them is checked. A host has no dashboard unless the test offers one
/// before the plugin starts: FakeHost::offer<Dashboard>(). Thread: one. Since 1.0.
class FakeDashboard final : public Dashboard {
public:
    void addPage(DashboardPage page) override { _pages.push_back(std::move(page)); }

    const Branding& branding() override { return brand; }

    const std::vector<DashboardPage>& pages() const { return _pages; }

    Branding brand{.name = "Market"};

private:
    std::vector<DashboardPage> _pages;
};

} // namespace supplierd::testing
