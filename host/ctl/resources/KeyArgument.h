#pragma once

#include "host/auth/ApiKeyStore.h"

#include <supplierd/Database.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace supplierd::host {

/// A key as the operator names it: by its id, or by the shown part of the key.
struct KeyName {
    std::string given;
    std::int64_t id = 0; ///< 0: by the shown part

    std::string_view publicPart() const { return std::string_view(given).substr(std::string_view("sk_").size()); }
};

/// Throws CommandFailure (Usage) for anything else, and never echoes it: it may be the whole key.
KeyName readKeyName(const std::string& given, KeyKind kind);

/// The row, locked. Throws CommandFailure when there is none, or it belongs to the other command.
ApiKeyRow findKey(SqlSession& session, const KeyName& name, KeyKind kind);

} // namespace supplierd::host
