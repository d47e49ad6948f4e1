#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Database.h>
#include <supplierd/Json.h>
#include <supplierd/services/AuditLog.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd {

struct SUPPLIERD_API CategoryRecord {
    std::int64_t id = 0;
    std::string name;
    std::string slug;
    std::optional<std::int64_t> parentId = std::nullopt;
    std::string type;
    bool isActive = true;
    /// Of the one above it.
    std::optional<std::string> parentName = std::nullopt;
    Reserved reserved = {};

    /// By what it is made of itself: neither by its parent's name, nor by what a later minor hangs on `reserved`.
    friend bool operator==(const CategoryRecord& a, const CategoryRecord& b) {
        return a.id == b.id && a.name == b.name && a.slug == b.slug && a.parentId == b.parentId && a.type == b.type &&
               a.isActive == b.isActive;
    }
};

/// What became of a category: `before` is empty when it is new, and equals `after` when nothing was written.
struct SUPPLIERD_API CategoryChange {
    std::optional<CategoryRecord> before = std::nullopt;
    CategoryRecord after;
    Reserved reserved = {};

    bool isChanged() const { return before != after; }
};

/// A service of the plugin `categories`: the operators' side of the category tree. What it changes is in the
/// audit log. Thread: any. Since 1.0.
class SUPPLIERD_API CategoryTree {
public:
    static constexpr std::string_view ID = "supplierd.category-tree/1";

    /// Inactive ones too, in id order.
    virtual std::vector<CategoryRecord> all(SqlSession& session) = 0;
    /// `fields`: `{ name, slug?, parent_id?, type?, is_active? }`. A slug that is not given is made from the name; one
    /// that another category has is `duplicate` either way. Throws ApiError (Validation) with every bad field.
    virtual CategoryChange add(Transaction& transaction, const JsonObject& fields, const Actor& actor) = 0;
    /// Changes what `fields` names; a slug of null is made from the name anew. Throws ApiError: NotFound, Validation
    /// with every bad field, among them a parent that is the category itself or one below it (`unsupported`).
    virtual CategoryChange update(Transaction& transaction, std::int64_t id, const JsonObject& fields,
                                  const Actor& actor) = 0;
    /// Whether there is such a category, and it and all above it are active: products may be put into it. One
    /// statement.
    virtual bool isActive(SqlSession& session, std::int64_t id) = 0;

protected:
    ~CategoryTree() = default;
};

} // namespace supplierd
