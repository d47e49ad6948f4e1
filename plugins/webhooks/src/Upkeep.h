#pragma once

#include "EndpointStore.h"

#include <supplierd/Metrics.h>
#include <supplierd/services/Jobs.h>

namespace supplierd::webhooks {

/// What no request and no delivery does: ends what is too old, switches off what fails, removes what nobody needs.
/// Thread: the job's.
class Upkeep {
public:
    Upkeep(EndpointStore& endpoints, Metrics& metrics, const Settings& settings);

    void run(JobRun& run);

private:
    void disableFailing(JobRun& run);
    void measure(JobRun& run);

    EndpointStore& _endpoints;
    const Settings _settings;
    Gauge& _waiting;
};

} // namespace supplierd::webhooks
