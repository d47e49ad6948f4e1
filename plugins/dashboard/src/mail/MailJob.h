#pragma once

#include "MailSettings.h"
#include "MailSources.h"
#include "MailTexts.h"
#include "SmtpConnection.h"
#include "UserStore.h"

#include <supplierd/Log.h>
#include <supplierd/Metrics.h>
#include <supplierd/services/Operations.h>

#include <optional>
#include <string>
#include <string_view>

namespace supplierd::dashboard {

/// Sends what MailQueue has, each mail at least once. The pause before a further attempt grows, and after a day a mail
/// is given up. Of all servers of the database one at a time runs it, by the service Jobs. Thread: the job's; check():
/// any.
class MailJob {
public:
    struct Dependencies {
        Database& database;
        UserStore& users;
        Logger& log;
        Metrics& metrics;
        MailSources sources;
    };

    MailJob(Dependencies dependencies, MailSettings settings, MailTexts texts);

    void run(JobRun& run);
    /// What `supplierctl doctor` says of the server.
    CheckResult check();

private:
    struct Mail {
        std::int64_t id = 0;
        std::string messageId;
        std::string to;
        std::string kind;
        std::string language;
        std::string parameters;
        Texts values;
        std::string url;
        bool isForOperator = false;
    };

    /// What is due next; none of what nobody needs any more. From here on it waits for its next attempt.
    std::optional<Mail> take(Transaction& transaction);
    void fillIn(Transaction& transaction, std::int64_t userId, Mail& mail);
    void send(JobRun& run);
    /// False: the server takes no mail now.
    bool sendOne(JobRun& run, SmtpConnection& connection, const Mail& mail);
    std::int64_t giveUpOld(JobRun& run);
    std::int64_t count(std::string_view statement);

    Dependencies _deps;
    const MailSettings _settings;
    const MailTexts _texts;
    Counter& _sent;
    Counter& _failed;
    Gauge& _waiting;
};

} // namespace supplierd::dashboard
