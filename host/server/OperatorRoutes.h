#pragma once

#include "host/audit/AuditStore.h"
#include "host/jobs/JobStore.h"
#include "host/plugins/PluginChecks.h"

#include <supplierd/Plugin.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// The host's own routes of the operators' API: what the plugins' checks find, and their jobs. Lifetime: as long as
/// requests are answered. Thread: any.
class OperatorRoutes {
public:
    struct Dependencies {
        PluginChecks& checks;
        AuditStore& audit;
        /// A job was woken, in a transaction that is not committed as yet.
        std::function<void()> wokeJob;
        /// Of a job that wants an input, what requests it: Job::command.
        std::function<std::string(const JobKey&)> commandOfJob;
    };

    explicit OperatorRoutes(Dependencies dependencies) : _dependencies(std::move(dependencies)) {}

    std::vector<Route> routes() const;

private:
    Response runChecks(Request& request) const;
    static Response listJobs(Request& request);
    static Response showJob(Request& request);
    Response runJob(Request& request) const;
    Response stopJob(Request& request) const;
    void recordJob(Transaction& transaction, const Actor& actor, std::string_view action, const JobKey& key) const;

    const Dependencies _dependencies;
};

} // namespace supplierd::host
