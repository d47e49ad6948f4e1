#include "list/SearchTerm.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>

namespace supplierd::catalog {

namespace {

constexpr std::string_view SELECT_WEIGHTS = R"(
SELECT WEIGHT_STRING(CONVERT(? USING utf8mb4) COLLATE utf8mb4_unicode_520_ci),
    WEIGHT_STRING(CONVERT(? USING utf8mb4) COLLATE utf8mb4_unicode_520_ci),
    WEIGHT_STRING(CONVERT(? USING utf8mb4) COLLATE utf8mb4_unicode_520_ci))";
constexpr std::size_t FORMS = 3;

struct Free {
    void operator()(utf8proc_uint8_t* text) const { std::free(text); }
};

std::string inForm(std::string_view text, utf8proc_option_t form) {
    utf8proc_uint8_t* raw = nullptr;
    const utf8proc_ssize_t length =
        utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                     &raw, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | form));
    const std::unique_ptr<utf8proc_uint8_t, Free> result(raw);
    if (length == UTF8PROC_ERROR_NOMEM)
        throw std::bad_alloc();
    if (length < 0)
        throw std::invalid_argument(utf8proc_errmsg(length));
    return {reinterpret_cast<const char*>(result.get()), static_cast<std::size_t>(length)};
}

} // namespace

std::vector<std::string> searchWeightsOf(SqlSession& session, std::string_view text) {
    const std::string composed = inForm(text, UTF8PROC_COMPOSE);
    const std::string decomposed = inForm(text, UTF8PROC_DECOMPOSE);
    std::vector<std::string> weights;
    Rows& row = session.query(SELECT_WEIGHTS, {text, composed, decomposed});
    if (row.next())
        for (std::size_t i = 0; i < FORMS; ++i)
            weights.emplace_back(row.text(i));
    std::sort(weights.begin(), weights.end());
    weights.erase(std::unique(weights.begin(), weights.end()), weights.end());
    return weights;
}

} // namespace supplierd::catalog
