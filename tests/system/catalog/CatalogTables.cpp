#include "CatalogTables.h"

namespace supplierd::tests {

namespace {

constexpr const char* PRODUCT = R"sql(JSON_OBJECT(
    'name', @.name, 'sku', @.sku, 'type', @.type, 'category', @.category_id, 'price', CAST(@.base_price * 10000 AS SIGNED),
    'unit', @.unit, 'stock', @.stock_qty, 'least', @.min_order_qty, 'color', @.color, 'stem', @.stem_length,
    'country', @.country_of_origin, 'lead', @.lead_time_days,
    'vat', CAST(@.vat_rate * 10000 AS SIGNED), 'description', @.description,
    'active', @.is_active, 'approval', @.approval, 'reason', @.approval_reason, 'version', @.version,
    'change', @.change_seq, 'created', DATE_FORMAT(@.created_at, '%Y-%m-%dT%H:%i:%s.%f'),
    'decided', DATE_FORMAT(COALESCE(@.approval_at, @.created_at), '%Y-%m-%dT%H:%i:%s.%f'),
    'updated', DATE_FORMAT(@.updated_at, '%Y-%m-%dT%H:%i:%s.%f'), 'deleted', @.deleted,
    'deleted_at', DATE_FORMAT(@.deleted_at, '%Y-%m-%dT%H:%i:%s.%f'), 'image', @.primary_image))sql";

constexpr const char* VARIANT = R"sql(JSON_OBJECT(
    'sku', @.sku, 'name', @.name, 'color', @.color, 'stem', @.stem_length, 'price', CAST(@.base_price * 10000 AS SIGNED),
    'stock', @.stock_qty, 'active', @.is_active))sql";

constexpr const char* OWNER = "(SELECT p.supplier_id FROM products p WHERE p.id = @.product_id)";

constexpr CommitLog::Table TABLES[] = {
    {"products", CatalogRow::PRODUCT, "@.supplier_id", "@.id", "0", PRODUCT},
    {"product_variants", CatalogRow::VARIANT, OWNER, "@.product_id", "@.id", VARIANT},
    {"product_skus", CatalogRow::SKU, "@.supplier_id", "@.product_id", "@.variant_id", "JSON_OBJECT('sku', @.sku)"},
    {"test_images", CatalogRow::IMAGE, OWNER, "@.product_id", "@.id", "JSON_OBJECT('path', @.path)"},
    // They are written before their number is taken, and stamped with it afterwards.
    {"categories", CatalogRow::CATEGORY, "0", "0", "@.id", "JSON_OBJECT('name', @.name)", "NEW.version <> OLD.version"},
};

} // namespace

std::span<const CommitLog::Table> catalogTables() {
    return TABLES;
}

} // namespace supplierd::tests
