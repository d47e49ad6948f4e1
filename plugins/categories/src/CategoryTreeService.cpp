#include "CategoryTreeService.h"

#include "CategoryInput.h"
#include "Slug.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/services/ChangeLog.h>

#include <map>
#include <string_view>

namespace supplierd::categories {

namespace {

constexpr std::string_view SELECT_ALL = R"(
SELECT c.id, c.name, c.slug, c.parent_id, c.type, c.is_active, p.name
FROM categories c FORCE INDEX (PRIMARY) LEFT JOIN categories p FORCE INDEX (PRIMARY) ON p.id = c.parent_id
ORDER BY c.id)";

// In id order, so that two changes of the tree queue: each checks the tree that the other leaves.
constexpr std::string_view LOCK_ALL = R"(
SELECT id, name, slug, parent_id, type, is_active FROM categories FORCE INDEX (PRIMARY) ORDER BY id FOR UPDATE)";

constexpr std::string_view LOCK_ONE = R"(
SELECT id, name, slug, parent_id, type, is_active FROM categories FORCE INDEX (PRIMARY) WHERE id = ? FOR UPDATE)";

constexpr std::string_view SELECT_NAME = "SELECT name FROM categories WHERE id = ?";

constexpr std::string_view SELECT_BY_SLUG = "SELECT id FROM categories FORCE INDEX (categories_slug) WHERE slug = ?";

constexpr std::string_view INSERT_CATEGORY = R"(
INSERT INTO categories (name, slug, parent_id, type, is_active) VALUES (?, ?, ?, ?, ?))";

constexpr std::string_view UPDATE_CATEGORY = R"(
UPDATE categories SET name = ?, slug = ?, parent_id = ?, type = ?, is_active = ?
WHERE id = ?)";

// A category is one when it and all above it are active. UNION drops what comes again, so that a cycle ends.
constexpr std::string_view IS_ACTIVE = R"(
WITH RECURSIVE path AS (
    SELECT id, parent_id, is_active FROM categories WHERE id = ?
    UNION
    SELECT c.id, c.parent_id, c.is_active FROM path STRAIGHT_JOIN categories c FORCE INDEX (PRIMARY)
        ON c.id = path.parent_id)
SELECT COUNT(*), COALESCE(SUM(is_active = 0), 0) = 0 FROM path)"; // its length, and whether all of it is active

// After the category, always: whoever waits for the number of the change holds nothing that its holder still wants.
// Both are in entity tags, and never given twice, also by a database that comes back without its last commits.
constexpr std::string_view STAMP_CATEGORY = "UPDATE categories SET version = GREATEST(version + 1, ?) WHERE id = ?";
constexpr std::string_view COUNT_CHANGE = "UPDATE category_tree SET change_seq = GREATEST(change_seq + 1, ?)";

using Tree = std::map<std::int64_t, CategoryRecord>;

CategoryRecord recordOf(const Rows& row) {
    CategoryRecord record;
    record.id = row.integer(0);
    record.name = row.text(1);
    record.slug = row.text(2);
    record.parentId = row.maybeInteger(3);
    record.type = row.text(4);
    record.isActive = row.boolean(5);
    return record;
}

/// Nothing when there is none.
std::optional<std::string> nameOf(SqlSession& session, const std::optional<std::int64_t>& id) {
    if (!id)
        return std::nullopt;
    Rows& row = session.query(SELECT_NAME, {*id});
    return row.next() ? std::optional<std::string>(row.text(0)) : std::nullopt;
}

void addUnknownParent(std::int64_t parentId, Details& details) {
    details.add("parent_id", "unknown_reference",
                "parent_id must be a category; there is no category " + std::to_string(parentId));
}

Tree readTree(Rows& rows) {
    Tree tree;
    while (rows.next()) {
        CategoryRecord record = recordOf(rows);
        tree.emplace(record.id, std::move(record));
    }
    return tree;
}

/// Whether `id` is `above` or lies below it.
bool isWithin(const Tree& tree, std::int64_t id, std::int64_t above) {
    std::optional<std::int64_t> at = id;
    // No longer than the tree is large, should the database hold a cycle already.
    for (std::size_t steps = 0; at && steps <= tree.size(); ++steps) {
        if (*at == above)
            return true;
        const auto found = tree.find(*at);
        at = found == tree.end() ? std::nullopt : found->second.parentId;
    }
    return false;
}

Detail slugIsTaken(const std::string& slug) {
    return {"slug", "duplicate", "slug '" + slug + "' is already used by another category"};
}

/// The slug that the request gives, or the one that its name makes. Empty when a problem has been noted.
std::string chooseSlug(const CategoryInput& input, const std::string& name, Details& details) {
    if (input.slug.hasValue())
        return *input.slug.value;
    if (name.empty() || details.has("slug"))
        return {};
    std::string slug = slugOf(name);
    if (slug.empty())
        details.add("slug", "required", "slug is required: none can be made from this name");
    return slug;
}

void findDuplicate(SqlSession& session, const std::string& slug, std::int64_t ownId, Details& details) {
    if (slug.empty())
        return;
    Rows& row = session.query(SELECT_BY_SLUG, {slug});
    if (row.next() && row.integer(0) != ownId)
        details.add(slugIsTaken(slug));
}

void findParentProblem(const Tree& tree, std::int64_t id, const Field<std::int64_t>& parentId, Details& details) {
    if (!parentId.hasValue())
        return;
    if (!tree.contains(*parentId.value))
        addUnknownParent(*parentId.value, details);
    else if (isWithin(tree, *parentId.value, id))
        details.add("parent_id", "unsupported", "parent_id must not be the category itself or one below it");
}

/// Runs a write; the unique key has the last word on slugs.
template <class Write>
void writing(const std::string& slug, const Write& write) {
    try {
        write();
    } catch (const DatabaseError& error) {
        if (!error.isDuplicateKey())
            throw;
        throw ApiError::validation({slugIsTaken(slug)});
    }
}

/// What the audit log says of a category; with `other`, only what differs from it.
std::string fieldsJson(const CategoryRecord& category, const CategoryRecord* other) {
    std::string text;
    JsonWriter json(text);
    json.beginObject();
    const auto field = [&](std::string_view name, auto member) {
        if (other == nullptr || category.*member != other->*member)
            json.field(name, category.*member);
    };
    field("name", &CategoryRecord::name);
    field("slug", &CategoryRecord::slug);
    field("parent_id", &CategoryRecord::parentId);
    field("type", &CategoryRecord::type);
    field("is_active", &CategoryRecord::isActive);
    json.endObject();
    return text;
}

} // namespace

std::vector<CategoryRecord> CategoryTreeService::all(SqlSession& session) {
    std::vector<CategoryRecord> categories;
    Rows& rows = session.query(SELECT_ALL);
    while (rows.next())
        categories.emplace_back(recordOf(rows)).parentName = rows.maybeText(6);
    return categories;
}

CategoryChange CategoryTreeService::add(Transaction& transaction, const JsonObject& fields, const Actor& actor) {
    Details details;
    const CategoryInput input = CategoryInput::read(fields, CategoryInput::Purpose::Add, details);
    CategoryRecord made;
    made.name = input.name.valueOr("");
    made.slug = chooseSlug(input, made.name, details);
    made.parentId = input.parentId.value;
    made.type = input.type.valueOr("");
    made.isActive = input.isActive.valueOr(true);
    // A category that is only being made cannot be above any other: that its parent exists is all.
    made.parentName = nameOf(transaction, made.parentId);
    if (made.parentId && !made.parentName)
        addUnknownParent(*made.parentId, details);
    findDuplicate(transaction, made.slug, 0, details);
    details.throwIfAny();
    writing(made.slug, [&] {
        transaction.execute(INSERT_CATEGORY, {made.name, made.slug, made.parentId, made.type, made.isActive});
    });
    made.id = transaction.lastInsertId();
    Change& change = transaction.change(MARKETPLACE);
    change.note(ChangeKind::CATEGORY_CHANGED, made.id);
    transaction.execute(COUNT_CHANGE, {change.seq()});
    CategoryChange added{std::nullopt, made};
    record(transaction, added, actor);
    return added;
}

CategoryChange CategoryTreeService::update(Transaction& transaction, std::int64_t id, const JsonObject& fields,
                                           const Actor& actor) {
    Details details;
    const CategoryInput input = CategoryInput::read(fields, CategoryInput::Purpose::Change, details);
    const Tree tree =
        readTree(input.parentId.hasValue() ? transaction.query(LOCK_ALL) : transaction.query(LOCK_ONE, {id}));
    const auto found = tree.find(id);
    if (found == tree.end())
        throw ApiError::notFound("There is no category " + std::to_string(id));
    const CategoryRecord& before = found->second;
    CategoryRecord after = before;
    after.name = input.name.valueOr(before.name);
    if (input.slug.present)
        after.slug = chooseSlug(input, after.name, details);
    if (input.parentId.present)
        after.parentId = input.parentId.value;
    after.type = input.type.valueOr(before.type);
    after.isActive = input.isActive.valueOr(before.isActive);
    findParentProblem(tree, id, input.parentId, details);
    findDuplicate(transaction, after.slug, id, details);
    details.throwIfAny();
    if (after != before) {
        writing(after.slug, [&] {
            transaction.execute(UPDATE_CATEGORY,
                                {after.name, after.slug, after.parentId, after.type, after.isActive, id});
        });
        Change& change = transaction.change(MARKETPLACE);
        change.note(ChangeKind::CATEGORY_CHANGED, id);
        transaction.execute(STAMP_CATEGORY, {change.seq(), id});
        transaction.execute(COUNT_CHANGE, {change.seq()});
        record(transaction, {before, after}, actor);
    }
    after.parentName = nameOf(transaction, after.parentId);
    return {before, after};
}

bool CategoryTreeService::isActive(SqlSession& session, std::int64_t id) {
    Rows& rows = session.query(IS_ACTIVE, {id});
    return rows.next() && rows.integer(0) > 0 && rows.boolean(1);
}

void CategoryTreeService::record(Transaction& transaction, const CategoryChange& change, const Actor& actor) {
    const CategoryRecord* before = change.before ? &*change.before : nullptr;
    AuditEntry entry = auditEntry(actor, "category", before ? "update" : "create", change.after.id, std::nullopt);
    entry.after = fieldsJson(change.after, before);
    if (before)
        entry.before = fieldsJson(*before, &change.after);
    _audit.record(transaction, entry);
}

} // namespace supplierd::categories
