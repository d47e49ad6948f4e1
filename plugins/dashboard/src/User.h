#pragma once

#include <supplierd/JsonWriter.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::dashboard {

/// Somebody who signs in. Times are ISO 8601 UTC.
struct User {
    std::int64_t id = 0;
    std::optional<std::int64_t> supplierId; ///< nothing: an operator
    std::string email;
    std::string name;
    bool hasPassword = false; ///< not until the link was followed
    bool hasSecondFactor = false;
    bool isDisabled = false;
    std::optional<std::string> lastSignInAt;
    std::string createdAt;
    /// Of a supplier: may what the scopes say, but look after neither keys nor people nor the store's profile, which
    /// an owner does.
    bool isStaff = false;
    std::vector<std::string> scopes = {}; ///< of staff, as those of keys; empty: all
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
struct UserLink {
    User user;
    /// The page that it leads to, with the token, which exists nowhere else: an answer that holds it must set
    /// Response::secret. Without `public_url` in the configuration it begins with the path.
    std::string url;
    std::string expiresAt;
};

} // namespace supplierd::dashboard
