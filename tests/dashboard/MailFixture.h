#pragma once

#include "tests/dashboard/DashboardFixture.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/LoopbackOrigin.h"
#include "tests/support/TemporaryDirectory.h"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::tests {

/// A mail server on the loopback: smtp-server.py, by aiosmtpd. Throws Skip where that is not installed.
class MailServer {
public:
    struct Options {
        std::optional<LoopbackOrigin::Certificate> certificate = {}; ///< with it over STARTTLS alone
        std::string user = {};
        std::string password = {};
    };
    MailServer() : MailServer(Options()) {}
    explicit MailServer(Options options);

    void start();
    void stop() { _process.reset(); }
    /// What mails are answered from now on, "451 later"; "": they are taken.
    void answer(const std::string& text);
    unsigned port() const { return _port; }

    /// All that were taken for an address, in their order; of `kind`s of subjects, when it is not "".
    std::vector<Json> mailsTo(const std::string& address) const;
    /// The only one for the address, which is waited for.
    Json mailTo(const std::string& address) const;

private:
    Options _options;
    TemporaryDirectory _folder{"mails"};
    unsigned _port;
    std::unique_ptr<ChildProcess> _process;
};

/// The one that fixture() sends its mails to.
MailServer& mailServer();
const std::string MARKET = "Blumen & Grün";

/// The value of a header; fails unless there is exactly one.
std::string headerOf(const Json& mail, const std::string& name);
/// What the mail's link has behind "#/welcome/".
std::string tokenOf(const Json& mail);
/// Runs the job "mail" of fixture()'s server.
void runMailJob();
/// Has all mails that wait tried again, at once.
void tryAgain();

} // namespace supplierd::tests
