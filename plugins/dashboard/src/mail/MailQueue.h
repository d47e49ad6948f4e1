#pragma once

#include "MailKinds.h"
#include "Texts.h"

#include <supplierd/Database.h>
#include <supplierd/services/Jobs.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd::dashboard {

/// Mails that are to be sent: rows, written in the transaction of what they tell about. Without a mail server it writes
/// none. Thread: any. Errors: DatabaseError.
class MailQueue {
public:
    static constexpr std::string_view JOB = "mail";

    MailQueue(Jobs& jobs, bool isOn) : _jobs(jobs), _isOn(isOn) {}

    bool isOn() const { return _isOn; }
    /// To one user, at once. Without a user nobody gets it, and it costs the same.
    void add(SqlSession& session, std::optional<std::int64_t> userId, std::string_view kind, const Texts& values = {});
    /// To everybody of a store (nothing: all operators) who may get mails of the kind and has not switched them off; to
    /// each of them once for one cause.
    void addForAll(SqlSession& session, std::optional<std::int64_t> supplierId, const ChosenMail& mail,
                   const std::string& cause, const Texts& values) const;

    static std::int64_t purge(Transaction& transaction);

private:
    Jobs& _jobs;
    bool _isOn;
};

} // namespace supplierd::dashboard
