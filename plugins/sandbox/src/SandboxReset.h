#pragma once

#include "SandboxServices.h"

#include <supplierd/Request.h>

namespace supplierd::sandbox {

/// Ends the open orders of a sandbox and deletes its products, a part at a time. Orders stay, as they do everywhere.
class SandboxReset {
public:
    SandboxReset(const SandboxServices& services, Request& request);

    /// What one call does; others of the sandbox come in between its parts.
    void run();
    void write(JsonWriter& json) const;

private:
    bool endOrders();
    bool removeProducts();

    const SandboxServices& _services;
    Database& _database;
    const Actor _actor;
    const Actor _marketplace;
    const std::int64_t _supplierId;
    std::int64_t _ended = 0;
    std::int64_t _removed = 0;
    bool _isMore = true;
};

} // namespace supplierd::sandbox
