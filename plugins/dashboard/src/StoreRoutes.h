#pragma once

#include "Sessions.h"
#include "UserStore.h"

#include <supplierd/Request.h>
#include <supplierd/services/ApiKeys.h>
#include <supplierd/services/ServerStatus.h>

namespace supplierd::dashboard {

/// How the pages are told of a store.
void writeStore(JsonWriter& json, const Supplier& store);

/// `/dashboard/api`: a store's keys and people, its usage; operators' view of people and of the server. What the API
/// itself serves, the pages ask the API for. Thread: any.
class StoreRoutes {
public:
    struct Dependencies {
        Sessions& sessions;
        UserStore& users;
        Accounts& accounts;
        ApiKeys& keys;
        ServerStatus* status; ///< null in supplierctl
    };

    explicit StoreRoutes(Dependencies dependencies) : _deps(dependencies) {}

    Response listKeys(Request& request);
    Response issueKey(Request& request);
    Response revokeKey(Request& request);
    Response usage(Request& request);
    Response updateStore(Request& request);

    Response listUsers(Request& request);
    Response inviteUser(Request& request);
    Response linkUser(Request& request);
    Response updateUser(Request& request);
    Response disableUser(Request& request);
    Response enableUser(Request& request);
    Response removeSecondFactor(Request& request);

    Response server(Request& request);
    Response serverHistory(Request& request);

private:
    std::int64_t storeOf(const SignedIn& user) const;
    SignedIn requireOperator(Request& request) const;
    /// Who looks after a store's keys, people and profile. Throws ApiError (Forbidden) for its staff.
    SignedIn requireOwner(Request& request) const;
    /// That, or an operator.
    SignedIn requireInCharge(Request& request) const;
    /// The user of the path, if the one who asks may manage it.
    void requireManaged(SqlSession& session, Request& request, const SignedIn& user);
    Response linkResponse(Request& request, const std::function<UserLink(Transaction&)>& make);
    Response userResponse(Request& request, const std::function<User(Transaction&)>& change);

    Dependencies _deps;
};

} // namespace supplierd::dashboard
