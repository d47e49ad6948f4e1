#include "ProductChanges.h"

#include <utility>

namespace supplierd::catalog {

namespace {

/// Calls visit(name, value in the database, value in the request) for each field that an input can name.
template <class Visit>
void visitFields(const StoredVariant& stored, const VariantInput& input, const Visit& visit) {
    visit("sku", stored.sku, input.sku);
    visit("name", stored.name, input.name);
    visit("color", stored.color, input.color);
    visit("stem_length", stored.stemLength, input.stemLength);
    visit("base_price", stored.basePrice, input.basePrice);
    visit("stock_qty", stored.stockQty, input.stockQty);
    visit("is_active", stored.isActive, input.isActive);
}

/// What a new variant has.
void writeGiven(const VariantInput& input, JsonWriter& after) {
    visitFields(StoredVariant(), input, [&](std::string_view name, const auto&, const auto& field) {
        if (field.hasValue())
            after.field(name, *field.value);
    });
}

/// Adds those fields to both that become different.
void writeDifferences(const StoredVariant& stored, const VariantInput& input, JsonWriter& before, JsonWriter& after) {
    visitFields(stored, input, [&](std::string_view name, const auto& was, const auto& field) {
        if (!field.present || field.value == was)
            return;
        before.field(name, was);
        after.field(name, field.value);
    });
}

/// An array of objects that are written already; nothing while there is none.
class ObjectList {
public:
    void add(std::string_view object) { _text.append(_text.empty() ? "[" : ",").append(object); }
    void writeTo(JsonWriter& json, std::string_view name) {
        if (!_text.empty())
            json.key(name).raw(_text += ']');
    }

private:
    std::string _text;
};

/// An object that begins with the variant's id.
class VariantObject {
public:
    explicit VariantObject(std::int64_t id) {
        _json.beginObject().field("id", id);
        _bare = _text.size();
    }
    VariantObject(const VariantObject&) = delete;
    VariantObject& operator=(const VariantObject&) = delete;

    JsonWriter& json() { return _json; }
    void addTo(ObjectList& list) {
        if (_text.size() == _bare) // nothing but the id
            return;
        _json.endObject();
        list.add(_text);
    }

private:
    std::string _text;
    JsonWriter _json{_text};
    std::size_t _bare = 0;
};

void writeIds(JsonWriter& json, const std::vector<ProductImage>& images) {
    std::optional<std::int64_t> primary;
    json.key("images").beginArray();
    for (const ProductImage& image : images) {
        json.value(image.id);
        if (image.isPrimary)
            primary = image.id;
    }
    json.endArray();
    json.field("primary_image", primary);
}

void writeField(JsonWriter& json, std::size_t field, const ProductValues& values) {
    json.key(PRODUCT_FIELDS[field].name);
    writeValue(json, PRODUCT_FIELDS[field], values.at(field));
}

/// "" while nothing was written into it.
std::string closed(JsonWriter& json, std::string& text) {
    if (text.size() <= 1)
        return {};
    json.endObject();
    return std::move(text);
}

} // namespace

StoredVariant StoredVariant::read(const Rows& row, std::size_t firstColumn) {
    std::size_t column = firstColumn;
    StoredVariant stored;
    stored.sku = row.maybeText(column++);
    stored.name = row.text(column++);
    stored.color = row.maybeText(column++);
    stored.stemLength = row.maybeInteger(column++);
    stored.basePrice = row.maybeDecimal(column++);
    stored.stockQty = row.integer(column++);
    stored.isActive = row.boolean(column);
    return stored;
}

ProductChanges::ProductChanges() : _before(_beforeText), _after(_afterText) {
    _before.beginObject();
    _after.beginObject();
}

void ProductChanges::created(const ProductInput& input) {
    for (std::size_t i = 0; i < PRODUCT_FIELDS.size(); ++i)
        if (!input.values.isNull(i))
            writeField(_after, i, input.values);
}

void ProductChanges::changed(const ProductValues& before, const ProductInput& input) {
    for (std::size_t i = 0; i < PRODUCT_FIELDS.size(); ++i)
        if (input.values.changes(i, before)) {
            writeField(_before, i, before);
            writeField(_after, i, input.values);
        }
}

void ProductChanges::deleted(const ProductValues& before) {
    writeField(_before, field::NAME, before);
    writeField(_before, field::SKU, before);
}

void ProductChanges::variants(const StoredVariants& before, const std::vector<VariantInput>& inputs,
                              const std::vector<std::int64_t>& newIds) {
    ObjectList were;
    ObjectList are;
    auto newId = newIds.begin();
    for (const VariantInput& input : inputs) {
        const std::int64_t id = input.id ? *input.id : *newId++;
        VariantObject was(id);
        VariantObject is(id);
        if (!input.id)
            writeGiven(input, is.json());
        else if (input.remove)
            was.json().field("name", before.at(id).name).field("sku", before.at(id).sku);
        else
            writeDifferences(before.at(id), input, was.json(), is.json());
        was.addTo(were);
        is.addTo(are);
    }
    were.writeTo(_before, "variants");
    are.writeTo(_after, "variants");
}

void ProductChanges::images(const std::vector<ProductImage>& before, const std::vector<ProductImage>& after) {
    writeIds(_before, before);
    writeIds(_after, after);
}

bool ProductChanges::complete(AuditEntry& entry) {
    entry.before = closed(_before, _beforeText);
    entry.after = closed(_after, _afterText);
    return !entry.before.empty() || !entry.after.empty();
}

void ProductChanges::record(SqlSession& session, AuditLog& log, AuditEntry entry) {
    if (complete(entry))
        log.record(session, entry);
}

} // namespace supplierd::catalog
