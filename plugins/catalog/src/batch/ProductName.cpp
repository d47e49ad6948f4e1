#include "batch/ProductName.h"

#include "write/VariantInput.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/Sku.h>

namespace supplierd::catalog {

ProductName ProductName::read(const JsonObject& entry, Details& details) {
    ObjectReader reader(entry, details);
    ProductName name;
    name.sku = readSku(reader).value;
    if (name.sku)
        name.skuKey = supplierd::skuKey(*name.sku);
    else if (details.empty())
        name.id = reader.integer("id", {1}).value;
    if (!name.sku && !name.id && details.empty())
        details.add("sku", "required", "sku is required");
    return name;
}

std::string jsonOf(const std::vector<ProductName>& names) {
    std::string text;
    text.reserve(names.size() * 24);
    JsonWriter json(text);
    json.beginArray();
    for (const ProductName& name : names) {
        json.beginArray().value(name.id);
        if (name.sku)
            json.value(name.skuKey);
        else
            json.null();
        json.endArray();
    }
    json.endArray();
    return text;
}

} // namespace supplierd::catalog
