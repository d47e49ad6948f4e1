#pragma once

#include <supplierd/Database.h>

#include <string>
#include <string_view>
#include <vector>

namespace supplierd::catalog {

/// The weights by which the database compares a search with names and SKUs, in ascending order: as it was typed, and
/// with its characters composed and decomposed (NFC and NFD), where that makes a difference. Texts are stored as they
/// came, and this collation tells some of the forms apart: Hangul, Indic vowels, `й`. `text` is valid UTF-8. Thread:
/// any. Throws DatabaseError.
std::vector<std::string> searchWeightsOf(SqlSession& session, std::string_view text);

} // namespace supplierd::catalog
