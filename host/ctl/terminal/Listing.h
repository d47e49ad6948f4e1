#pragma once

#include <supplierd/JsonWriter.h>

#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace supplierd::host {

/// Rows of named columns, printed as an aligned table for people or as JSON objects for programs.
class Listing {
public:
    enum class Kind { Text, Integer, Boolean, Json };

    struct Column {
        std::string key;     ///< in JSON: "created_at"; empty: only in the table
        std::string heading; ///< in the table: "CREATED"; empty: only in JSON
        Kind kind = Kind::Text;
    };

    /// A cell: nothing is `null` in JSON and empty in the table; a Boolean is "true" or "false", a
    /// Json cell is written as it is.
    using Row = std::vector<std::optional<std::string>>;

    explicit Listing(std::vector<Column> columns) : _columns(std::move(columns)) {}

    void add(Row row) { _rows.push_back(std::move(row)); }
    std::size_t size() const { return _rows.size(); }
    const std::optional<std::string>& cell(std::size_t row, std::size_t column) const {
        return _rows.at(row).at(column);
    }

    /// What a terminal could take for a command is replaced, visibly.
    void printTable(std::ostream& out) const;
    /// An array of objects.
    void appendJson(JsonWriter& json) const;
    /// One row as an object.
    void appendRow(JsonWriter& json, std::size_t row) const;

private:
    std::string shown(std::size_t row, std::size_t column) const;

    std::vector<Column> _columns;
    std::vector<Row> _rows;
};

} // namespace supplierd::host
