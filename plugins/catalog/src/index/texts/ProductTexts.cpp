#include "ProductTexts.h"

#include "FindCodes.h"
#include "index/ColumnMemory.h"

#include <algorithm>
#include <bitset>
#include <cstring>
#include <limits>

namespace supplierd::catalog {

namespace {

constexpr char END = static_cast<char>(WeightAlphabet::END);
constexpr char SEPARATOR = static_cast<char>(WeightAlphabet::SEPARATOR);

std::size_t lengthOfName(std::string_view entry) {
    std::size_t length = 0;
    while (static_cast<unsigned char>(entry[length]) > WeightAlphabet::LAST_MARK)
        ++length;
    return length;
}

template <class Value>
void giveBackRoom(std::vector<Value>& values) {
    if (values.capacity() > values.size())
        std::vector<Value>(values).swap(values);
}

} // namespace

std::string_view ProductTexts::Block::entry(std::size_t row) const {
    const char* begin = text.data() + start(row);
    return {begin, std::strlen(begin) + 1};
}

/// False when it would begin where `starts` does not reach.
bool ProductTexts::Block::append(std::string_view entry) {
    const std::size_t unit = std::size_t{1} << shift;
    const std::size_t start = (text.size() + unit - 1) / unit * unit;
    if (start >> shift > std::numeric_limits<std::uint16_t>::max())
        return false;
    makeRoom(text, start - text.size() + entry.size());
    text.resize(start, END);
    text.insert(text.end(), entry.begin(), entry.end());
    starts[rows++] = static_cast<std::uint16_t>(start >> shift);
    return true;
}

void ProductTexts::Block::layOut(const std::vector<std::string_view>& entries) {
    Block block;
    block.shift = shift;
    while (!std::all_of(entries.begin(), entries.end(), [&](auto one) { return block.append(one); })) {
        block.text.clear();
        block.rows = 0;
        ++block.shift;
    }
    giveBackRoom(block.text);
    text = std::move(block.text);
    starts = block.starts;
    shift = block.shift;
    rows = block.rows;
}

/// Whether they are others than before.
bool ProductTexts::Block::replaceSkus(std::uint8_t row, const std::vector<IndexedSku>& skus) {
    const auto range = std::equal_range(skuRows.begin(), skuRows.end(), row);
    const auto first = skuHashes.begin() + (range.first - skuRows.begin());
    const auto last = skuHashes.begin() + (range.second - skuRows.begin());
    if (std::equal(first, last, skus.begin(), skus.end(),
                   [](std::uint64_t hash, const IndexedSku& sku) { return hash == sku.keyHash; }))
        return false;
    const auto place = skuRows.erase(range.first, range.second) - skuRows.begin();
    skuHashes.erase(first, last);
    makeRoom(skuRows, skus.size());
    makeRoom(skuHashes, skus.size());
    skuRows.insert(skuRows.begin() + place, skus.size(), row);
    auto hash = skuHashes.insert(skuHashes.begin() + place, skus.size(), 0);
    for (const IndexedSku& sku : skus)
        *hash++ = sku.keyHash;
    return true;
}

void ProductTexts::append(const IndexedTexts& texts) {
    if (_blocks.empty() || _blocks.back().rows == ROWS) {
        makeRoom(_blocks, 1);
        _blocks.emplace_back();
    }
    Block& block = _blocks.back();
    const std::size_t before = block.bytes();
    const std::string entry = encode(texts);
    const std::uint8_t row = block.rows;
    if (!block.append(entry)) {
        std::vector<std::string_view> entries;
        for (std::size_t i = 0; i < block.rows; ++i)
            entries.push_back(block.entry(i));
        entries.emplace_back(entry);
        block.layOut(entries);
    }
    block.replaceSkus(row, texts.skus);
    if (block.rows == ROWS) {
        giveBackRoom(block.text);
        giveBackRoom(block.skuHashes);
        giveBackRoom(block.skuRows);
    }
    _blockBytes += block.bytes() - before;
    const std::size_t rows = (_blocks.size() - 1) * ROWS + block.rows;
    if (rows % TrigramSignature::ROWS == 0) {
        makeRoom(_signatures, 1);
        _signatures.push_back(signatureOf(static_cast<RowNumber>(rows - TrigramSignature::ROWS)));
    }
}

ProductTexts::Difference ProductTexts::replace(RowNumber row, const IndexedTexts& texts) {
    Block& block = _blocks[row / ROWS];
    const std::size_t before = block.bytes();
    const std::size_t place = row % ROWS;
    const std::string entry = encode(texts);
    const std::string_view old = block.entry(place);
    const std::size_t name = lengthOfName(entry);
    const std::size_t oldName = lengthOfName(old);
    Difference difference;
    difference.name = entry.compare(0, name, old.substr(0, oldName)) != 0;
    difference.skus = entry.compare(name, std::string::npos, old.substr(oldName)) != 0;
    if (old.size() == entry.size()) {
        std::copy(entry.begin(), entry.end(), block.text.begin() + static_cast<std::ptrdiff_t>(block.start(place)));
    } else {
        std::vector<std::string_view> entries;
        for (std::size_t i = 0; i < block.rows; ++i)
            entries.push_back(i == place ? std::string_view(entry) : block.entry(i));
        block.layOut(entries);
    }
    if (const std::size_t number = row / TrigramSignature::ROWS;
        number < _signatures.size() && (difference.name || difference.skus)) {
        TrigramSignature& signature = _signatures[number];
        signature.add(row % TrigramSignature::ROWS, entry);
        if (signature.isStale())
            signature = signatureOf(row - row % TrigramSignature::ROWS);
    }
    difference.skus = block.replaceSkus(static_cast<std::uint8_t>(place), texts.skus) || difference.skus;
    _blockBytes += block.bytes() - before;
    return difference;
}

ProductTexts::Term ProductTexts::termOf(std::string_view weights) const {
    Term term;
    term.isPossible = _alphabet.encodeKnown(weights, term.codes);
    return term;
}

void ProductTexts::search(const Term& term, RowNumber first, RowNumber end, RowSet& found) const {
    if (!term.isPossible)
        return;
    // Candidates lie apart: the processor has the texts of a few ready in time.
    constexpr std::size_t AHEAD = 4;
    const std::vector<Run> runs = candidates(term, first, end);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (i + AHEAD < runs.size())
            for (RowNumber row = 0; row < TrigramSignature::GROUP; ++row)
                __builtin_prefetch(name(runs[i + AHEAD].first + row));
        search(term, runs[i], found);
    }
}

std::vector<ProductTexts::Run> ProductTexts::candidates(const Term& term, RowNumber first, RowNumber end) const {
    std::vector<Run> runs;
    const auto add = [&](RowNumber row, RowNumber rows) {
        if (row >= end)
            return;
        if (runs.empty() || runs.back().end != row || row % ROWS == 0)
            runs.push_back({row, row});
        runs.back().end = std::min(row + rows, end);
    };
    for (; first < end; first += TrigramSignature::ROWS) {
        const std::size_t number = first / TrigramSignature::ROWS;
        if (number < _signatures.size())
            _signatures[number].forEachGroup(term.codes,
                                             [&](RowNumber row) { add(first + row, TrigramSignature::GROUP); });
        else
            for (RowNumber row = 0; row < TrigramSignature::ROWS; row += ROWS)
                add(first + row, ROWS);
    }
    return runs;
}

void ProductTexts::search(const Term& term, Run run, RowSet& found) const {
    const Block& block = blockOf(run.first);
    const char* const begin = block.text.data();
    const RowNumber rows = (run.end - 1) % ROWS + 1;
    const char* const end = begin + block.end(rows - 1);
    for (RowNumber row = run.first % ROWS; row < rows; ++row) {
        const char* const hit = findCodes(begin + block.start(row), end, term.codes);
        if (hit == nullptr)
            return;
        while (row + 1 < rows && begin + block.start(row + 1) <= hit)
            ++row;
        found.add(run.first - run.first % ROWS + row);
    }
}

bool ProductTexts::contains(RowNumber row, const Term& term) const {
    if (!term.isPossible)
        return false;
    const Block& block = blockOf(row);
    const char* const begin = block.text.data();
    return findCodes(begin + block.start(row % ROWS), begin + block.end(row % ROWS), term.codes) != nullptr;
}

void ProductTexts::findSkus(const std::vector<std::uint64_t>& hashes, RowSet& found) const {
    // Nearly all are told from those asked for by a bit.
    std::bitset<4'096> low;
    for (const std::uint64_t hash : hashes)
        low.set(hash % low.size());
    RowNumber first = 0;
    for (const Block& block : _blocks) {
        for (std::size_t i = 0; i < block.skuHashes.size(); ++i)
            if (low.test(block.skuHashes[i] % low.size()) &&
                std::binary_search(hashes.begin(), hashes.end(), block.skuHashes[i]))
                found.add(first + block.skuRows[i]);
        first += ROWS;
    }
}

bool ProductTexts::hasSku(RowNumber row, const std::vector<std::uint64_t>& hashes) const {
    const Block& block = blockOf(row);
    const auto own =
        std::equal_range(block.skuRows.begin(), block.skuRows.end(), static_cast<std::uint8_t>(row % ROWS));
    const auto hashAt = [&](auto place) { return block.skuHashes.begin() + (place - block.skuRows.begin()); };
    return std::any_of(hashAt(own.first), hashAt(own.second),
                       [&](std::uint64_t hash) { return std::binary_search(hashes.begin(), hashes.end(), hash); });
}

const char* ProductTexts::name(RowNumber row) const {
    const Block& block = blockOf(row);
    return block.text.data() + block.start(row % ROWS);
}

std::size_t ProductTexts::bytes() const {
    return _alphabet.bytes() + bytesOf(_blocks) + _blockBytes + bytesOf(_signatures) +
           _signatures.size() * TrigramSignature::bytes();
}

TrigramSignature ProductTexts::signatureOf(RowNumber first) const {
    TrigramSignature signature;
    for (RowNumber row = 0; row < TrigramSignature::ROWS; ++row)
        signature.add(row, blockOf(first + row).entry((first + row) % ROWS));
    return signature;
}

std::string ProductTexts::encode(const IndexedTexts& texts) {
    std::string entry;
    _alphabet.encode(texts.nameWeights, entry);
    for (const IndexedSku& sku : texts.skus) {
        entry += SEPARATOR;
        _alphabet.encode(sku.weights, entry);
    }
    entry += END;
    return entry;
}

} // namespace supplierd::catalog
