#pragma once

#include <supplierd/Abi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd {

/// Thrown by a command: printed, and the exit code of `supplierctl`. Other exceptions end it with Failed. Since 1.0.
class SUPPLIERD_API CommandError : public std::runtime_error {
public:
    enum class Code { Failed = 1, Usage = 2, NotAllowed = 4 };

    explicit CommandError(const std::string& message, Code code = Code::Failed)
        : std::runtime_error(message), _code(code) {}
    Code code() const noexcept { return _code; }

private:
    Code _code;
    Reserved _reserved;
};

/// Rows of a result: an aligned table for people, `{"<name>": [{"<key>": ...}, ...]}` with --json.
struct SUPPLIERD_API CommandTable {
    enum class Kind { Text, Integer, Boolean, Json };
    struct Column {
        std::string key;     ///< in JSON: "created_at"; empty: only in the table
        std::string heading; ///< in the table: "CREATED"; empty: only in JSON
        Kind kind = Kind::Text;
        Reserved reserved = {};
    };
    /// A cell that is nothing is null in JSON and empty in the table; a Boolean is "true" or "false".
    using Row = std::vector<std::optional<std::string>>;

    std::string name; ///< "notes"
    std::vector<Column> columns;
    std::vector<Row> rows;
    std::string whenEmpty; ///< said instead of a table without rows: "There are no notes."
    Reserved reserved = {};
};

/// One call of a command. Thread: one. Lifetime: until the command returns. Since 1.0.
class SUPPLIERD_API CommandRun {
public:
    /// Of an option or argument of this name as it was declared ("--product", "FILE"); nothing when it was not given.
    /// std::logic_error for one that was not declared.
    virtual std::optional<std::string> text(std::string_view name) const = 0;
    /// A whole number that fits; others were refused before.
    virtual std::optional<std::int64_t> integer(std::string_view name) const = 0;
    /// Whether the flag was given.
    virtual bool flag(std::string_view name) const = 0;
    /// "supplierctl:alice", for AuditEntry::actor.
    virtual const std::string& actor() const = 0;

    /// The result, once: rows, or a sentence (`{"message": ...}` with --json).
    virtual void print(const CommandTable& table) = 0;
    virtual void print(std::string_view sentence) = 0;
    /// For people only, on standard error.
    virtual void hint(std::string_view line) = 0;
    /// How far a long command is, so many of `total` (0: not known): a bar on standard error, where that is a terminal;
    /// drawn at most a few times a second, gone with the next result or hint. Thread: the command's.
    virtual void progress(std::int64_t done, std::int64_t total) = 0;

protected:
    ~CommandRun() = default;
};

/// An option "--product", or an argument "FILE" (capital letters).
struct SUPPLIERD_API CommandOption {
    enum class Kind { Text, Integer, Flag };

    std::string name;
    std::string help;
    Kind kind = Kind::Text;
    bool isRequired = false;
    Reserved reserved = {};
};

/// `supplierctl <plugin> <name>`, or `supplierctl <group> <name>`.
struct SUPPLIERD_API Command {
    std::string name; ///< 1 to 32 of a-z, 0-9 and -: "list"
    std::string help; ///< one line
    std::vector<CommandOption> options;
    std::function<void(CommandRun&)> run;
    /// Of what it is about, beside the commands of supplierctl itself: "category", "key", "media", "order", "product",
    /// "supplier" or "user". Empty: the plugin's own, which has its id. A command of supplierctl wins over one of the
    /// same name.
    std::string group = {};
    Reserved reserved = {};
};

/// What `supplierctl doctor` says about one thing.
struct SUPPLIERD_API CheckResult {
    enum class Level { Good, Warning, Error };

    Level level = Level::Good;
    std::string message; ///< what was found
    std::string fix;     ///< what to do; empty when all is good
    Reserved reserved = {};
};

/// A look at one thing, which changes nothing and ends within a few seconds: `supplierctl doctor` gives it ten, then it
/// is an error that was found, and so is what it throws.
struct SUPPLIERD_API Check {
    std::string name; ///< "mail server"
    std::function<CheckResult()> run;
    Reserved reserved = {};
};

/// A service of the host: what an operator gets from a plugin. Call all of it in start(), which runs in `supplierctl`
/// as in the server. Throws std::logic_error for a name that is none or taken, for a group that is none, and for what
/// has no function. Thread: any. Since 1.0.
class SUPPLIERD_API Operations {
public:
    static constexpr std::string_view ID = "supplierd.operations/1";

    /// Runs in `supplierctl`, on its only thread, after start() and without ready().
    virtual void addCommand(Command command) = 0;
    /// As a command does, in a process of its own.
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
