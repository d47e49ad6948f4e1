#pragma once

#include "host/auth/ApiKey.h"

#include <supplierd/Database.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd::host {

struct FoundKey {
    std::int64_t id = 0;
    std::optional<std::int64_t> supplierId;
    bool isRevoked = false;
    KeyKind kind = KeyKind::Supplier;
};

/// A key as the operator names it: by its id, or by the shown part of the key.
struct KeyName {
    std::string given;
    std::int64_t id = 0; ///< 0: by the shown part

    std::string_view keyId() const { return std::string_view(given).substr(std::string_view("sk_").size()); }
};

/// Throws CommandFailure (Usage) for anything else, and never echoes it: it may be the whole key.
KeyName readKeyName(const std::string& given, KeyKind kind);

/// The row, locked. Throws CommandFailure when there is none, or it belongs to the other command.
FoundKey findKey(SqlSession& session, const KeyName& name, KeyKind kind);

} // namespace supplierd::host
