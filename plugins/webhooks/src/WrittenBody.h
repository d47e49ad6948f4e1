#pragma once

#include <supplierd/Database.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace supplierd::webhooks {

/// What is sent of a full delivery, each time; it is in the database before it is sent for the first time.
struct WrittenBody {
    std::int64_t deliveryId = 0;
    std::string body;
};

/// Leaves those alone that have one. How many it wrote.
std::size_t writeBodies(Database& database, std::span<const WrittenBody> bodies);
/// Nothing: none is written.
std::optional<std::string> findBody(SqlSession& session, std::int64_t deliveryId);

} // namespace supplierd::webhooks
