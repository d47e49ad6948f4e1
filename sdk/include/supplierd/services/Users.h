#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Database.h>
#include <supplierd/Json.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/ListPage.h>
#include <supplierd/services/AuditLog.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd {

/// Somebody who signs in. Times are ISO 8601 UTC.
struct SUPPLIERD_API User {
    std::int64_t id = 0;
    /// Nothing: an operator.
    std::optional<std::int64_t> supplierId;
    std::string email;
    std::string name;
    /// False until the link was followed.
    bool hasPassword = false;
    bool hasSecondFactor = false;
    bool isDisabled = false;
    std::optional<std::string> lastSignInAt;
    std::string createdAt;
    /// Of a supplier: may what the scopes say, but look after neither keys nor people nor the store's profile, which
    /// an owner does.
    bool isStaff = false;
    /// Of staff, as those of keys; empty: all.
    std::vector<std::string> scopes = {};
    Reserved reserved = {};
};

inline void writeJson(JsonWriter& json, const User& user) {
    json.beginObject().field("id", user.id).field("supplier_id", user.supplierId).field("email", user.email);
    json.field("name", user.name).field("has_password", user.hasPassword);
    json.field("has_second_factor", user.hasSecondFactor).field("is_disabled", user.isDisabled);
    json.field("last_sign_in_at", user.lastSignInAt).field("created_at", user.createdAt);
    json.field("role", !user.supplierId ? "operator" : user.isStaff ? "staff" : "owner").key("scopes");
    if (user.scopes.empty())
        json.null();
    else
        json.raw(jsonArray(user.scopes));
    json.endObject();
}

/// What lets a user choose a password, once.
struct SUPPLIERD_API UserLink {
    User user;
    /// The page that it leads to, with the token, which exists nowhere else: an answer that holds it must set
    /// Response::secret. Without `public_url` in the configuration it begins with the path.
    std::string url;
    std::string expiresAt;
    Reserved reserved = {};
};

/// The people who sign in: suppliers' and operators'. Offered by the plugin `dashboard`. What it changes is in the
/// audit log. Thread: any. Since 1.0.
class SUPPLIERD_API Users {
public:
    static constexpr std::string_view ID = "supplierd.users/1";
    static constexpr std::size_t MIN_PASSWORD = 10; ///< characters

    /// Newest first. `query`: `page`, `per_page`, `cursor`, `search` (name or e-mail address), `supplier_id` (0:
    /// operators). Throws ApiError (Validation).
    virtual Listed<User> list(Database& database, const QueryParameters& query) = 0;
    virtual std::optional<User> find(SqlSession& session, std::int64_t id) = 0;
    /// `fields`: `{ email, name?, supplier_id?, role?, scopes? }`; without a supplier it is an operator. A supplier's
    /// `role` is "owner" unless it says "staff"; `scopes` are those of staff, all when there are none. Throws ApiError
    /// (Validation) with every bad field, also for an address that somebody has.
    virtual UserLink invite(Transaction& transaction, const JsonObject& fields, const Actor& actor) = 0;
    /// `fields`: `{ role, scopes? }`, as invite() takes them; counts for sessions that run, too. Throws ApiError:
    /// NotFound; Validation with every bad field, also for an operator, who has no role.
    virtual User update(Transaction& transaction, std::int64_t id, const JsonObject& fields, const Actor& actor) = 0;
    /// A link to choose a new password with; an earlier one ends. Throws ApiError (NotFound).
    virtual UserLink link(Transaction& transaction, std::int64_t id, const Actor& actor) = 0;
    /// Ends the user's sessions and links. Throws ApiError: NotFound; Validation for a password that is too short, too
    /// long or the address.
    virtual User setPassword(Transaction& transaction, std::int64_t id, std::string_view password,
                             const Actor& actor) = 0;
    /// Ends all sessions; enable() lets the user sign in again. Throw ApiError (NotFound).
    virtual User disable(Transaction& transaction, std::int64_t id, const Actor& actor) = 0;
    virtual User enable(Transaction& transaction, std::int64_t id, const Actor& actor) = 0;
    /// For a user who has lost it, with the recovery codes. Throws ApiError (NotFound).
    virtual User removeSecondFactor(Transaction& transaction, std::int64_t id, const Actor& actor) = 0;

protected:
    ~Users() = default;
};

} // namespace supplierd
