#include "ProductChanges.h"

#include "ProductTerms.h"

#include <span>
#include <utility>

namespace supplierd::catalog {

namespace {

Field<std::string_view> termOf(std::span<const std::string_view> terms, const Field<std::int64_t>& number) {
    if (!number.hasValue())
        return {number.present, std::nullopt};
    return {true, termAt(terms, *number.value)};
}

/// Calls visit(name, value in the database, value in the request) for each field that an input can name.
template <class Visit>
void visitFields(const StoredProduct& stored, const ProductInput& input, const Visit& visit) {
    visit("name", stored.name, input.name);
    visit("category_id", stored.categoryId, input.categoryId);
    visit("base_price", stored.basePrice, input.basePrice);
    visit("unit", termAt(PRODUCT_UNITS, stored.unit), termOf(PRODUCT_UNITS, input.unit));
    visit("type", termAt(TYPES, stored.type), termOf(TYPES, input.type));
    visit("description", stored.description, input.description);
    visit("sku", stored.sku, input.sku);
    visit("stock_qty", stored.stockQty, input.stockQty);
    visit("min_order_qty", stored.minOrderQty, input.minOrderQty);
    visit("color", stored.color, input.color);
    visit("stem_length", stored.stemLength, input.stemLength);
    visit("country_of_origin", stored.countryOfOrigin, input.countryOfOrigin);
    visit("vat_rate", stored.vatRate, input.vatRate);
    visit("is_active", stored.isActive, input.isActive);
}

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

/// What a new object has.
template <class Stored, class Input>
void writeGiven(const Input& input, JsonWriter& after) {
    visitFields(Stored(), input, [&](std::string_view name, const auto&, const auto& field) {
        if (field.hasValue())
            after.field(name, *field.value);
    });
}

/// Adds those fields to both that become different.
template <class Stored, class Input>
void writeDifferences(const Stored& stored, const Input& input, JsonWriter& before, JsonWriter& after) {
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

/// "" while nothing was written into it.
std::string closed(JsonWriter& json, std::string& text) {
    if (text.size() <= 1)
        return {};
    json.endObject();
    return std::move(text);
}

} // namespace

StoredProduct StoredProduct::read(const Rows& row, std::size_t firstColumn) {
    std::size_t column = firstColumn;
    StoredProduct stored;
    stored.name = row.text(column++);
    stored.categoryId = row.integer(column++);
    stored.basePrice = row.decimal(column++);
    stored.unit = row.integer(column++);
    stored.type = row.integer(column++);
    stored.description = row.maybeText(column++);
    stored.sku = row.maybeText(column++);
    stored.stockQty = row.integer(column++);
    stored.minOrderQty = row.integer(column++);
    stored.color = row.maybeText(column++);
    stored.stemLength = row.maybeInteger(column++);
    stored.countryOfOrigin = row.maybeText(column++);
    stored.vatRate = row.decimal(column++);
    stored.isActive = row.boolean(column);
    return stored;
}

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
    writeGiven<StoredProduct>(input, _after);
}

void ProductChanges::changed(const StoredProduct& before, const ProductInput& input) {
    writeDifferences(before, input, _before, _after);
}

void ProductChanges::deleted(const StoredProduct& before) {
    _before.field("name", before.name).field("sku", before.sku);
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
            writeGiven<StoredVariant>(input, is.json());
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

bool ProductChanges::differ(const StoredProduct& before, const ProductInput& input) {
    bool different = false;
    visitFields(before, input, [&different](std::string_view, const auto& was, const auto& field) {
        different = different || (field.present && field.value != was);
    });
    return different;
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
