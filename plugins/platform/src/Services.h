#pragma once

#include <supplierd/ApiKeys.h>
#include <supplierd/AuditLog.h>
#include <supplierd/Host.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd::platform {

/// What the operators' routes stand on. Every change that they make goes into the audit log within its transaction.
struct Services {
    ApiKeys* keys = nullptr;
    AuditLog* audit = nullptr;

    /// Throws std::runtime_error naming a service that nobody offers.
    static Services of(Host& host);
};

} // namespace supplierd::platform
