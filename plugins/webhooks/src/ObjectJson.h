#pragma once

#include "Message.h"

#include <supplierd/Database.h>
#include <supplierd/services/Accounts.h>
#include <supplierd/services/Orders.h>
#include <supplierd/services/Products.h>

#include <cstdint>
#include <string>

namespace supplierd::webhooks {

/// Those that show objects; null where their plugin is not enabled.
struct ObjectServices {
    Products* products = nullptr;
    Orders* orders = nullptr;
    Accounts* accounts = nullptr;
};

/// The object of a full message as the API shows it to its supplier now; "null" when it is not there any more, "" when
/// the message is about none. Throws DatabaseError.
std::string objectJson(SqlSession& snapshot, const ObjectServices& services, std::int64_t supplierId,
                       const Message& message);

} // namespace supplierd::webhooks
