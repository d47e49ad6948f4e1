#pragma once

#include <supplierd/JsonWriter.h>
#include <supplierd/Query.h>
#include <supplierd/services/Accounts.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd {

/// For statements of one's own: joins a table `sandbox` with the column `id`, of one parameter, SandboxFilter::ids().
/// What it is joined by follows, "ON sandbox.id = …". Behind the table that a list walks through, that one keeps its
/// index.
inline constexpr std::string_view JOIN_SANDBOXES = R"(
    LEFT JOIN (SELECT DISTINCT t.id FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t) sandbox)";

/// Leaves the rows of sandboxes out of a list over all suppliers, unless `sandbox=true` asks for them too. A list of
/// one supplier shows his, whichever he is, and needs no filter. Thread: a value. Since 1.0.
class SandboxFilter {
public:
    /// Reads `sandbox`.
    static SandboxFilter read(QueryReader& reader) {
        SandboxFilter filter;
        filter._isAskedFor = reader.boolean("sandbox").value_or(false);
        return filter;
    }

    /// Leaves the rows of these out.
    static SandboxFilter without(const std::vector<std::int64_t>& sandboxes) {
        SandboxFilter filter;
        filter._ids = jsonArray(sandboxes);
        filter._isNeeded = !sandboxes.empty();
        return filter;
    }

    /// Asks which suppliers are sandboxes; before the first statement is made. One statement.
    void load(Database& database, Accounts& accounts) {
        if (!_isAskedFor)
            *this = without(database.read([&](SqlSession& session) { return accounts.sandboxes(session); }));
    }

    /// By the query.
    bool isAskedFor() const { return _isAskedFor; }
    /// False: nobody's rows have to be left out.
    bool isNeeded() const { return _isNeeded; }
    /// As a JSON array.
    const std::string& ids() const { return _ids; }

private:
    bool _isAskedFor = false;
    bool _isNeeded = false;
    std::string _ids = "[]";
};

} // namespace supplierd
