#pragma once

#include "MailQueue.h"

#include <supplierd/services/Accounts.h>
#include <supplierd/services/AuditLog.h>
#include <supplierd/services/Orders.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace supplierd::dashboard {

/// Mails about what happens elsewhere: keys and webhooks, from the audit log, and orders, from their list. Where each
/// was read to is in the database. Thread: the job's.
class MailSources {
public:
    struct Dependencies {
        Database& database;
        MailQueue& queue;
        AuditLog& audit;
        Accounts& accounts;
        Orders* orders; ///< null: there is no such plugin
        std::chrono::seconds digestInterval;
    };

    explicit MailSources(const Dependencies& dependencies) : _deps(dependencies) {}

    void read(JobRun& run);

private:
    void follow(JobRun& run, const std::string& object);
    struct Progress {
        std::string since; ///< entries from then on may have come late
        bool isFresh = false;
    };
    Progress progressOf(JobRun& run, const std::string& object);
    void take(Transaction& transaction, const AuditRecord& record);
    void takeKey(Transaction& transaction, const AuditRecord& record);
    void takeWebhook(Transaction& transaction, const AuditRecord& record);
    void countOrders(JobRun& run);
    std::string storeName(SqlSession& session, std::optional<std::int64_t> supplierId);

    Dependencies _deps;
    std::set<std::int64_t> _taken; ///< entries that may be seen again
};

} // namespace supplierd::dashboard
