#include "ProductChanges.h"

#include <utility>

namespace supplierd::catalog {

namespace {

/// What a new object has.
template <class Values>
void writeGiven(const Values& values, JsonWriter& after) {
    for (std::size_t i = 0; i < Values::SIZE; ++i)
        if (!values.isNull(i))
            values.writeField(after, i);
}

/// Adds those fields to both that become different.
template <class Values>
void writeDifferences(const Values& stored, const Values& values, JsonWriter& before, JsonWriter& after) {
    for (std::size_t i = 0; i < Values::SIZE; ++i)
        if (values.changes(i, stored)) {
            stored.writeField(before, i);
            values.writeField(after, i);
        }
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

} // namespace

ProductChanges::ProductChanges() : _before(_beforeText), _after(_afterText) {
    _before.beginObject();
    _after.beginObject();
}

void ProductChanges::created(const ProductInput& input) {
    writeGiven(input.values, _after);
}

void ProductChanges::changed(const ProductValues& before, const ProductInput& input) {
    writeDifferences(before, input.values, _before, _after);
}

void ProductChanges::deleted(const ProductValues& before) {
    before.writeField(_before, field::NAME);
    before.writeField(_before, field::SKU);
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
            writeGiven(input.values, is.json());
        else if (input.remove)
            for (const std::size_t field : {variant::NAME, variant::SKU})
                before.at(id).writeField(was.json(), field);
        else
            writeDifferences(before.at(id), input.values, was.json(), is.json());
        was.addTo(were);
        is.addTo(are);
    }
    were.writeTo(_before, "variants");
    are.writeTo(_after, "variants");
}

void ProductChanges::variant(const VariantValues* before, const VariantValues& after) {
    _after.key("variant").beginObject();
    if (before != nullptr) {
        _before.key("variant").beginObject();
        writeDifferences(*before, after, _before, _after);
        _before.endObject();
    } else {
        writeGiven(after, _after);
    }
    _after.endObject();
}

void ProductChanges::images(const std::vector<ProductImage>& before, const std::vector<ProductImage>& after) {
    writeIds(_before, before);
    writeIds(_after, after);
}

std::string ProductChanges::closed(JsonWriter& json, std::string& text) {
    if (text.size() <= 1)
        return {};
    json.endObject();
    return std::move(text);
}

void ProductChanges::record(Transaction& transaction, AuditLog& log, AuditEntry entry) {
    if (complete(entry))
        log.record(transaction, entry);
}

} // namespace supplierd::catalog
