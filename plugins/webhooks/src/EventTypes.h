#pragma once

#include <supplierd/services/ChangeLog.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::webhooks {

/// What an event is about.
enum class Subject { None, Product, Order, Key };

struct EventType {
    std::string_view name;
    Subject subject;
    /// As the change log calls it.
    std::string_view changeKind;
};

/// The place of each is what stands for it in the database: new ones go to the end.
inline constexpr std::array<EventType, 13> EVENT_TYPES{{
    {"endpoint.test", Subject::None, {}},
    {"changes.missed", Subject::None, {}},
    {"product.created", Subject::Product, ChangeKind::PRODUCT_CREATED},
    {"product.updated", Subject::Product, ChangeKind::PRODUCT_UPDATED},
    {"product.deleted", Subject::Product, ChangeKind::PRODUCT_DELETED},
    {"product.approved", Subject::Product, ChangeKind::PRODUCT_APPROVED},
    {"product.rejected", Subject::Product, ChangeKind::PRODUCT_REJECTED},
    {"stock.changed", Subject::Product, ChangeKind::STOCK_CHANGED},
    {"price.changed", Subject::Product, ChangeKind::PRICE_CHANGED},
    {"image.changed", Subject::Product, ChangeKind::IMAGES_CHANGED},
    {"order.created", Subject::Order, ChangeKind::ORDER_CREATED},
    {"order.updated", Subject::Order, ChangeKind::ORDER_MOVED},
    {"key.revoked", Subject::Key, ChangeKind::KEY_REVOKED},
}};

/// Sent whatever an endpoint wants: it asked for the first, and has to know the second.
inline constexpr std::size_t TEST_EVENT = 0;
inline constexpr std::size_t MISSED_EVENT = 1;
inline constexpr std::size_t FIRST_CHOICE = 2;

/// "product", "order", "key".
std::string_view nameOf(Subject subject);
/// What is needed to read such an object; empty: whoever may see webhooks may see it.
std::string_view scopeOf(Subject subject);
/// Those that an endpoint can ask for.
std::vector<std::string_view> chosenNames();
std::optional<std::size_t> eventOfChange(std::string_view changeKind);
std::optional<std::size_t> eventOfName(std::string_view name);

inline constexpr std::int64_t bitOf(std::size_t event) {
    return std::int64_t{1} << event;
}

} // namespace supplierd::webhooks
