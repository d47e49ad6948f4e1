#pragma once

#include "imports/ImportServices.h"
#include "imports/OpenImport.h"

#include <supplierd/services/ImageIngest.h>
#include <supplierd/services/Jobs.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::csv {

/// The images of a batch's rows: those URLs are fetched that the product does not have already, whether by their own
/// address here or because an import fetched them before. Thread: one. What it is made with outlives it.
class RowImages {
public:
    RowImages(const ImportServices& services, const OpenImport& open) : _services(services), _open(open) {}

    /// Outside of any transaction. Throws JobStopped, DatabaseError.
    void fetch(JobRun& run);

    struct Result {
        bool changed = false;
        std::vector<Detail> problems;
    };
    /// Gives the product what was fetched for the row. May be repeated with its transaction. Throws DatabaseError.
    Result add(Transaction& transaction, std::size_t row, std::int64_t productId) const;

private:
    struct Wanted {
        std::vector<std::string> urls;
        std::unique_ptr<FetchedImages> fetched;
        std::optional<Detail> problem;
    };

    std::vector<std::int64_t> productsOf(SqlSession& session) const;
    void findWanted(SqlSession& session);
    void remember(Transaction& transaction, std::int64_t productId, const Wanted& wanted,
                  const std::vector<ProductImage>& images) const;

    const ImportServices& _services;
    const OpenImport& _open;
    std::vector<Wanted> _wanted; ///< by row; empty: nobody names any
};

} // namespace supplierd::csv
