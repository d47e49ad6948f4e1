#pragma once

#include "imports/ImportServices.h"
#include "imports/OpenImport.h"

#include <supplierd/internal/ImageIngest.h>
#include <supplierd/services/Jobs.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace supplierd::csv {

/// The images of a batch's rows: those URLs are fetched that the product does not have already, whether by their own
/// address here or because an import fetched them before. A dry run fetches none, and says of them what can be said
/// without the network: it would keep other people's servers busy with what nobody keeps, and a check waiting. Thread:
/// one. What it is made with outlives it.
class RowImages {
public:
    RowImages(const ImportServices& services, const OpenImport& open) : _services(services), _open(open) {}

    /// Outside of any transaction. Throws JobStopped, DatabaseError.
    void fetch(JobRun& run);

    struct Result {
        bool changed = false;
        std::vector<Detail> problems;
        /// Of a dry run.
        std::int64_t unfetched = 0;
    };
    /// Gives the product what was fetched for the row; a dry run only says what that would do. May be repeated with its
    /// transaction. Throws DatabaseError.
    Result add(Transaction& transaction, std::size_t row, std::int64_t productId) const;

private:
    struct Wanted {
        std::vector<std::string> urls;
        std::unique_ptr<FetchedImages> fetched;
        std::vector<Detail> problems;
        std::size_t present = 0; ///< images of the product
    };

    std::vector<std::int64_t> productsOf(SqlSession& session) const;
    void findWanted(SqlSession& session);
    void check(Wanted& wanted) const;
    static Result lookAt(const Wanted& wanted);
    void remember(Transaction& transaction, std::int64_t productId, const Wanted& wanted,
                  const std::vector<ProductImage>& images) const;

    const ImportServices& _services;
    const OpenImport& _open;
    std::vector<Wanted> _wanted; ///< by row; empty: nobody names any
};

} // namespace supplierd::csv
