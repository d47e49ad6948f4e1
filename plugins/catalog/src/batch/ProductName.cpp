#include "batch/ProductName.h"

#include "write/FieldReader.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/Sku.h>

namespace supplierd::catalog {

ProductName ProductName::read(const JsonObject& entry, Details& details) {
    ObjectReader reader(entry, details);
    ProductName name;
    name.sku = readSku(reader).value;
    if (name.sku)
        name.skuKey = supplierd::skuKey(*name.sku);
    Details ignored;
    ObjectReader idReader(entry, name.sku ? ignored : details);
    if (details.empty())
        name.id = idReader.integer("id", {1}).value;
    if (!name.sku && !name.id && details.empty())
        details.add("sku", "required", "sku is required");
    return name;
}

Detail skuMismatch(const ProductName& name, const std::optional<std::string>& sku,
                   const std::optional<std::int64_t>& skuProduct) {
    const std::string product = "the product with the id " + std::to_string(*name.id);
    const std::string otherwise = skuProduct
                                      ? "to change product " + std::to_string(*skuProduct) + ", which has this SKU"
                                      : "to make a new product";
    return {.field = "sku",
            .code = "unsupported",
            .message =
                sku ? product + " has the SKU " + *sku + ": restore it, or clear the id " + otherwise
                    : product + " has no SKU: clear it here to change that product, or clear the id " + otherwise};
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
