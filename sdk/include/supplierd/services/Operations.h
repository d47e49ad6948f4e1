#pragma once

#include <supplierd/Abi.h>

#include <functional>
#include <string>
#include <string_view>

namespace supplierd {

/// What `supplierctl doctor` says about one thing.
struct SUPPLIERD_API CheckResult {
    enum class Level { Good, Warning, Error };

    Level level = Level::Good;
    std::string message; ///< what was found
    std::string fix;     ///< what to do; empty when all is good
    Reserved reserved = {};
};

/// Examines one thing, changes nothing and ends within five seconds: later, its answer is an error, and the end of the
/// server waits for it. What it throws is an error that was found.
struct SUPPLIERD_API Check {
    std::string name; ///< "mail server"
    std::function<CheckResult()> run;
    Reserved reserved = {};
};

/// A service of the host: what an operator gets from a plugin beside its routes. Call all of it in start(). Throws
/// std::logic_error for a name that is none or taken, and for what has no function. Thread: any. Since 1.0.
class SUPPLIERD_API Operations {
public:
    static constexpr std::string_view ID = "supplierd.operations/1";

    /// Run by GET /api/v1/platform/checks, which `supplierctl doctor` asks. Thread: one of its own, and never two at
    /// once of one check.
    virtual void addCheck(Check check) = 0;
    /// Asked by /readyz of a server: why this plugin cannot do its work, "" when it can. One reason makes the whole
    /// server not ready, so load balancers leave it out. Returns at once: it looks at what is known and asks nobody.
    /// Thread: any.
    virtual void addReadiness(std::function<std::string()> reason) = 0;
    /// A kind of object that the plugin's audit entries are about (AuditEntry::object), for those who search for them.
    virtual void addAuditKind(std::string kind) = 0;

protected:
    ~Operations() = default;
};

} // namespace supplierd
