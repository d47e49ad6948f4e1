#pragma once

#include "Sessions.h"
#include "UserStore.h"

#include <supplierd/Request.h>
#include <supplierd/services/ApiKeyVerifier.h>

#include <functional>
#include <optional>
#include <string>

namespace supplierd::dashboard {

/// Who looks after the people who sign in: operators after all of them, by the operators' API, and the owners of a
/// store after its own, by that of the pages. Thread: any.
class PeopleRoutes {
public:
    struct Dependencies {
        const Sessions& sessions;
        UserStore& users;
        ApiKeyVerifier& keys;
    };

    explicit PeopleRoutes(Dependencies dependencies) : _deps(dependencies) {}

    Response list(Request& request);
    /// Of operators with a password at once, instead of the link to choose one with.
    Response invite(Request& request);
    Response update(Request& request);
    Response link(Request& request);
    Response disable(Request& request);
    Response enable(Request& request);
    Response removeSecondFactor(Request& request);

private:
    struct Caller {
        Actor actor;
        std::optional<std::int64_t> store; ///< of an owner; nothing: an operator
        bool isKey = false;

        /// Throws ApiError: NotFound for one of another store, Forbidden for an operator when a key asks, Conflict for
        /// the caller's own account.
        void requireManaged(const User& user) const;
    };

    /// Throws ApiError (Forbidden) for those who look after nobody.
    Caller callerOf(Request& request) const;
    /// Runs `change` on the user of the path and answers with what becomes of it.
    Response changed(Request& request, const std::function<User(Transaction&, const User&, const Actor&)>& change);
    static Response invited(Request& request, Transaction& transaction, const UserLink& link);
    static Response linkResponse(Request& request, const UserLink& link);

    Dependencies _deps;
};

} // namespace supplierd::dashboard
