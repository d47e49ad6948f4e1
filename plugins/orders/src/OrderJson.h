#pragma once

#include "OrderGroup.h"

#include <supplierd/JsonWriter.h>

#include <optional>
#include <string>
#include <string_view>

namespace supplierd::orders {

/// The order group as an object. The platform's has `supplier` too, and the moves that are the platform's.
void writeGroup(JsonWriter& json, const OrderGroup& group, Mover viewer);
/// An object, or null when there is none.
void writeTracking(JsonWriter& json, const Tracking& tracking);
void writeSupplier(JsonWriter& json, std::int64_t id, std::string_view name);

} // namespace supplierd::orders
