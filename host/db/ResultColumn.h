#pragma once

#include <supplierd/Decimal.h>

#include <mysql/mysql.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// Where one column of a row lands. Whole numbers arrive as 64 bits, dates and times as fields, everything else as text
/// in a buffer that grows to what a row needs. Getters throw std::domain_error for a value that is not what they are
/// asked for, rather than cut or wrap it. Thread: one at a time.
class ResultColumn {
public:
    explicit ResultColumn(const MYSQL_FIELD& field);

    /// Whether the column of a later execution is still of this type.
    bool fits(const MYSQL_FIELD& field) const;
    /// Points `bind` at this column's memory, which must not move afterwards.
    void bindTo(MYSQL_BIND& bind);
    bool isTruncated() const { return _kind == Kind::Text && !_null && _length > _buffer.size(); }
    /// Makes room for the value of the present row.
    void grow();
    /// Gives back what one large value needed. True when the column has to be bound anew.
    bool shrink();

    bool isNull() const { return _null != 0; }
    std::int64_t integer() const;
    std::string_view text() const;
    Decimal decimal() const;
    std::string time() const;

private:
    enum class Kind { Integer, Text, Time };

    static Kind kindOf(enum_field_types type);
    std::string_view bytes() const { return {_buffer.data(), static_cast<std::size_t>(_length)}; }

    Kind _kind;
    enum_field_types _type;
    bool _unsigned;
    unsigned _decimals;
    std::int64_t _integer = 0;
    MYSQL_TIME _time{};
    std::vector<char> _buffer;
    unsigned long _length = 0;
    my_bool _null = 1;
    my_bool _error = 0;
    mutable std::string _printed; ///< text() of what is no text
};

} // namespace supplierd::host
