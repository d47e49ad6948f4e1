#pragma once

#include "exports/TextStream.h"
#include "text/CsvStyle.h"

#include <supplierd/Query.h>
#include <supplierd/services/Products.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace supplierd::csv {

/// The style that a query asks for: `separator`, `decimal`.
CsvStyle readStyle(QueryReader& query);

/// The products of a walk as a file for spreadsheets.
class ProductExport final : public TextStream {
public:
    ProductExport(std::unique_ptr<ProductWalk> walk, CsvStyle style) : _walk(std::move(walk)), _style(style) {}

    /// Products so far.
    std::int64_t written() const { return _written; }

private:
    bool append(std::string& text) override;

    std::unique_ptr<ProductWalk> _walk;
    CsvStyle _style;
    bool _hasHeading = false;
    std::size_t _atOnce = 10; ///< products of the next step
    std::int64_t _written = 0;
};

} // namespace supplierd::csv
