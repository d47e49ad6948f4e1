#include "imports/ImportRecord.h"

#include "Columns.h"

namespace supplierd::csv {

std::string separatorName(char separator) {
    return separator == '\t' ? "tab" : std::string(1, separator);
}

std::optional<char> separatorNamed(std::string_view name) {
    if (name == "tab")
        return '\t';
    return name.size() == 1 ? std::optional(name.front()) : std::nullopt;
}

bool ImportRecord::fetchesImages() const {
    return !isDryRun && !heading.empty() && Heading(heading).has("image_urls");
}

void writeJson(JsonWriter& json, const ImportRecord& import, const std::optional<Supplier>& supplier) {
    const bool isRead = import.state != ImportState::Receiving;
    json.beginObject();
    json.field("id", import.id);
    if (supplier)
        json.key("supplier").beginObject().field("id", supplier->id).field("name", supplier->name).endObject();
    json.field("state", IMPORT_STATES.at(static_cast<std::size_t>(import.state)));
    json.field("dry_run", import.isDryRun);
    json.field("empty", import.clearsEmpty ? "clear" : "keep");
    json.field("file_name", import.fileName).field("file_bytes", import.fileBytes);
    json.field("charset", CHARACTER_SETS.at(static_cast<std::size_t>(import.format.characterSet)));
    json.field("separator", separatorName(import.format.separator));
    json.field("decimal", DECIMAL_SIGNS.at(import.format.decimalSign == ',' ? 1 : 0));
    json.key("columns").beginArray();
    std::vector<std::string> unknown;
    if (isRead && !import.heading.empty()) {
        const Heading heading(import.heading);
        unknown = heading.unknown();
        for (std::size_t i = 0; i < heading.size(); ++i)
            if (const Column* const column = heading.column(i); column && column->kind != ColumnKind::ReadOnly)
                json.beginObject().field("column", heading.cell(i)).field("field", column->name).endObject();
    }
    json.endArray().key("unknown_columns").beginArray();
    for (const std::string& column : unknown)
        json.value(column);
    json.endArray();
    json.field("rows_total", import.rowsTotal).field("rows_done", import.rows.done);
    json.field("created", import.rows.created).field("updated", import.rows.updated);
    json.field("unchanged", import.rows.unchanged).field("failed", import.rows.failed);
    json.field("unfetched_images", import.rows.unfetchedImages).field("far_prices", import.rows.farPrices);
    json.field("problem", import.problem);
    json.field("errors_url",
               import.rows.failed > 0 && import.hasFile && !supplier
                   ? std::optional("/api/v1/supplier/imports/" + std::to_string(import.id) + "/errors.csv")
                   : std::nullopt);
    json.field("created_at", import.createdAt).field("started_at", import.startedAt);
    json.field("finished_at", import.finishedAt);
    json.endObject();
}

} // namespace supplierd::csv
