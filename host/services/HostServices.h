#pragma once

#include "host/auth/AccountStore.h"
#include "host/auth/HostCrypto.h"
#include "host/db/ChangeLogStore.h"
#include "host/outbound/OutboundHttp.h"
#include "host/plugins/ServiceRegistry.h"

#include <supplierd/AuditLog.h>

namespace supplierd::host {

/// The services that the host offers to all plugins alike, in the server and in supplierctl. Thread: any, once the
/// plugins start.
class HostServices {
public:
    /// Offers them all. What it gets must outlive it.
    HostServices(ServiceRegistry& services, Database& database, AuditLog& audit);

    ApiKeyStore& keys() { return _keys; }

private:
    ApiKeyStore _keys;
    AccountStore _accounts;
    ChangeLogStore _changes;
    HostCrypto _crypto;
    OutboundHttp _http;
};

} // namespace supplierd::host
