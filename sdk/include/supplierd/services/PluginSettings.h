#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Database.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd {

/// A service of the host: what a plugin lets be set while it runs, a small text for each name. All servers on one
/// database share them; `supplierctl plugin remove --data` removes them. Not for secrets that a backup of the database
/// must not hold. Thread: any. Errors: DatabaseError. Since 1.0.
class SUPPLIERD_API PluginSettings {
public:
    static constexpr std::string_view ID = "supplierd.plugin-settings/1";
    static constexpr std::size_t MAX_NAME = 64;
    static constexpr std::size_t MAX_VALUE = 65'536;

    /// As it is committed now: one short query. What is needed for every request is better kept for a few seconds.
    virtual std::optional<std::string> get(SqlSession& session, std::string_view name) = 0;
    virtual std::map<std::string, std::string> all(SqlSession& session) = 0;
    /// With the transaction, so beside the audit entry. Throws std::invalid_argument for a name that is not 1 to
    /// MAX_NAME of ASCII's letters, digits, '_', '-' and '.', and for a value of more than MAX_VALUE bytes.
    virtual void set(Transaction& transaction, std::string_view name, std::string_view value) = 0;
    virtual void remove(Transaction& transaction, std::string_view name) = 0;

protected:
    ~PluginSettings() = default;
};

} // namespace supplierd
