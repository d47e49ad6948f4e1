#pragma once

#include <string>
#include <string_view>

namespace supplierd::history {

/// What stands in place of a secret.
inline constexpr std::string_view BLANK = "***";

/// Whether a value of this name is nobody's business: "password", "clientSecret", "api_key", "X-Auth-Token", "key".
bool isSecretName(std::string_view name);

/// A body, query, path or message without secrets: the values of members, parameters and lines that isSecretName()
/// names (JSON, forms, "name: value"), API keys (`sk_…`, `ok_…`), signing secrets (`whsec_…`), bearer tokens and JSON
/// web tokens. The text may be cut off, broken JSON, or no UTF-8; where it is unclear how far a secret goes, what
/// follows on its line is blanked too. JSON that was whole stays JSON.
std::string withoutSecrets(std::string_view text);

/// A table (CSV, whatever separates its cells) without the columns that isSecretName() names in its first line; a line
/// with another number of cells is blanked as a whole. What is no table stays as it is.
std::string withoutSecretColumns(std::string_view text);

} // namespace supplierd::history
