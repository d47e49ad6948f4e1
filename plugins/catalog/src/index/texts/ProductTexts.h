#pragma once

#include "TrigramSignature.h"
#include "WeightAlphabet.h"
#include "index/ColumnMemory.h"
#include "index/IndexedProduct.h"
#include "index/RowSet.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::catalog {

/// Names and SKUs of one supplier's products as codes of collation weights, and the hashes of their SKUs' keys. Rows
/// lie in blocks of 128, one behind the other: name, then each SKU behind a SEPARATOR, then END. A search is a pass
/// over those rows that their signatures do not rule out. A product that changes its texts has its block written again,
/// so nothing is left behind.
///
/// Thread: const functions at the same time from any; the others alone.
class ProductTexts {
public:
    /// What to find in the texts. Gets stale when texts are added.
    struct Term {
        std::string codes;
        /// False when it has a character that no text has.
        bool isPossible = true;
    };

    void append(const IndexedTexts& texts);
    struct Difference {
        bool name = false;
        bool skus = false;
    };
    Difference replace(RowNumber row, const IndexedTexts& texts);

    Term termOf(std::string_view weights) const;
    /// Among the rows of [first, end); `first` is a multiple of 1,024.
    void search(const Term& term, RowNumber first, RowNumber end, RowSet& found) const;
    bool contains(RowNumber row, const Term& term) const;
    /// `hashes` are in ascending order.
    void findSkus(const std::vector<std::uint64_t>& hashes, RowSet& found) const;
    bool hasSku(RowNumber row, const std::vector<std::uint64_t>& hashes) const;

    /// Up to a mark.
    const char* name(RowNumber row) const;
    std::string nameWeights(RowNumber row) const { return _alphabet.decode(name(row)); }
    const WeightAlphabet& alphabet() const { return _alphabet; }

    std::size_t bytes() const;

private:
    static constexpr RowNumber ROWS = 128;

    struct Block {
        std::vector<char> text;
        /// Where the entries begin, divided by 2^shift: blocks of more than 64 KB have gaps of ENDs.
        std::array<std::uint16_t, ROWS> starts{};
        std::uint8_t shift = 0;
        std::uint8_t rows = 0;
        /// In the order of rows; the row of each beside it.
        std::vector<std::uint64_t> skuHashes;
        std::vector<std::uint8_t> skuRows;

        std::size_t bytes() const { return bytesOf(text) + bytesOf(skuHashes) + bytesOf(skuRows); }
        std::size_t start(std::size_t row) const { return std::size_t{starts[row]} << shift; }
        std::size_t end(std::size_t row) const { return row + 1 < rows ? start(row + 1) : text.size(); }
        /// To its END.
        std::string_view entry(std::size_t row) const;
        bool append(std::string_view entry);
        void layOut(const std::vector<std::string_view>& entries);
        bool replaceSkus(std::uint8_t row, const std::vector<IndexedSku>& skus);
    };

    /// Rows of one block, one behind the other.
    struct Run {
        RowNumber first = 0;
        RowNumber end = 0;
    };

    std::string encode(const IndexedTexts& texts);
    TrigramSignature signatureOf(RowNumber first) const;
    /// The rows that may have the term, in ascending order.
    std::vector<Run> candidates(const Term& term, RowNumber first, RowNumber end) const;
    void search(const Term& term, Run run, RowSet& found) const;
    const Block& blockOf(RowNumber row) const { return _blocks[row / ROWS]; }

    WeightAlphabet _alphabet;
    std::vector<Block> _blocks;
    /// The last rows have none until they are enough for one, so small catalogs have none at all.
    std::vector<TrigramSignature> _signatures;
    std::size_t _blockBytes = 0; ///< what all of them hold: it is asked for with every request
};

} // namespace supplierd::catalog
