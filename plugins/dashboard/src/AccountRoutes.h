#pragma once

#include "Sessions.h"
#include "SignIn.h"
#include "UserStore.h"

#include <supplierd/Request.h>
#include <supplierd/services/ServerStatus.h>

namespace supplierd::dashboard {

class PageRegister;

/// `/dashboard/api`: signing in and out, and what users do about their own account. Thread: any.
class AccountRoutes {
public:
    struct Dependencies {
        Sessions& sessions;
        SignIn& signIn;
        UserStore& users;
        Accounts& accounts;
        ApiKeyVerifier& keys;
        Crypto& crypto;
        const PageRegister& pages;
        ServerStatus* status; ///< null where nothing is served
        MailQueue& mails;
        std::string issuer; ///< what an app for codes shows
    };

    explicit AccountRoutes(Dependencies dependencies) : _deps(std::move(dependencies)) {}

    /// Who is signed in, `null` for nobody.
    Response session(Request& request);
    Response signIn(Request& request);
    Response signOut(Request& request);

    /// Mails a link for a new password. The answer is the same whether somebody has the address or not.
    Response mailLink(Request& request);

    /// Whose link this is; and the password that its owner chooses.
    Response readLink(Request& request);
    Response acceptLink(Request& request);

    /// Test mode, in which the session shows the sandbox of the user's store. An owner's first time makes the sandbox.
    Response setTestMode(Request& request);

    Response change(Request& request);
    /// Which mails the user wants: `{ "new_orders": false }`.
    Response chooseMails(Request& request);
    Response changePassword(Request& request);
    Response listSessions(Request& request);
    Response endSession(Request& request);
    Response endOtherSessions(Request& request);
    Response listSignIns(Request& request);
    Response beginSecondFactor(Request& request);
    Response confirmSecondFactor(Request& request);
    Response removeSecondFactor(Request& request);

private:
    bool hasGuide() const;
    void writeMails(JsonWriter& json, Request& request, const SignedIn& user);
    void writeSession(JsonWriter& json, Request& request, const SignedIn& user);
    /// The kinds of mails that there are for the user to choose from.
    std::vector<std::string_view> mailsFor(const SignedIn& user) const;
    std::int64_t sandboxFor(Transaction& transaction, const SignedIn& user, std::string_view requestId);
    Response opened(Request& request, std::int64_t userId);
    /// Into a new session, in a browser that is known from now on.
    void open(Transaction& transaction, Request& request, std::int64_t userId, Response& response);

    Dependencies _deps;
};

} // namespace supplierd::dashboard
