#pragma once

#include "Sessions.h"

#include <supplierd/Request.h>
#include <supplierd/services/Accounts.h>
#include <supplierd/services/ApiKeyVerifier.h>
#include <supplierd/services/ServerStatus.h>

namespace supplierd::dashboard {

/// How the pages are told of a store.
void writeStore(JsonWriter& json, const Supplier& store);

/// `/dashboard/api`: a store's keys and profile, its usage; operators' view of the server. What the API itself serves,
/// the pages ask the API for. Thread: any.
class StoreRoutes {
public:
    struct Dependencies {
        Sessions& sessions;
        Accounts& accounts;
        ApiKeyVerifier& keys;
        ServerStatus* status; ///< null in `plugin validate`
    };

    explicit StoreRoutes(Dependencies dependencies) : _deps(dependencies) {}

    Response listKeys(Request& request);
    Response issueKey(Request& request);
    Response revokeKey(Request& request);
    Response usage(Request& request);
    Response updateStore(Request& request);

    Response server(Request& request);
    Response serverHistory(Request& request);

private:
    SignedIn requireOperator(Request& request) const;

    Dependencies _deps;
};

} // namespace supplierd::dashboard
