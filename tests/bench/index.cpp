// What the catalog's index costs without a database: `supplierd-bench-index [PRODUCTS]` loads so many (1,000,000)
// with names like those of products.sql, and prints how many microseconds lists and changes take: the first time, and
// afterwards (the median of many). Every sort and some filters are asked for, so that the memory it prints is that of a
// supplier whose lists are in use. No product has variants.
#include "index/CatalogIndex.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace supplierd::catalog;

namespace {

constexpr std::size_t BULK = 500;
constexpr std::array<std::string_view, 12> KINDS{"Rosa",      "Tulipa",       "Chrysanthemum", "Lilium",
                                                 "Dianthus",  "Alstroemeria", "Hydrangea",     "Ranunculus",
                                                 "Narcissus", "Gypsophila",   "Eucalyptus",    "Kraft paper"};
constexpr std::array<std::string_view, 10> VARIETIES{"Avalanche",   "Red Naomi",   "Sweet Akito",     "Queen of Night",
                                                     "Moonlight",   "Casa Blanca", "Sarah Bernhardt", "Million Star",
                                                     "Coral Charm", "Natural"};
constexpr std::array<std::string_view, 10> COLORS{"white", "red",  "pink",  "yellow", "orange",
                                                  "lilac", "blue", "green", "cream",  "burgundy"};

/// A weight for each ASCII character, letters without case: as many different ones as the collation has.
std::string weightsOf(std::string_view text) {
    std::string weights;
    for (const char c : text) {
        weights += static_cast<char>(std::isalpha(static_cast<unsigned char>(c)) != 0 ? 0x12 : 0x02);
        weights += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return weights;
}

class Generator {
public:
    IndexedProduct next() {
        IndexedProduct product;
        product.id = ++_id;
        product.changeSeq = number(1, 1'000'000);
        product.state =
            _id % 51 == 7 ? ProductState::Deleted : static_cast<ProductState>(number(0, 9) < 7 ? 1 : number(0, 2));
        product.type = number(0, 3) == 0 ? 1 : 0;
        product.categoryId = 1'101 + number(0, 31);
        product.basePrice = number(200, 250'000);
        product.stockQty = number(0, 19) * number(0, 249);
        product.updatedAt = 1'767'225'600'000'000 + number(0, 17'000'000) * 1'000'000;
        product.texts = texts();
        return product;
    }

    std::string name() {
        return oneOf(KINDS) + oneOf(VARIETIES) + oneOf(COLORS) + std::to_string(10 * number(4, 9)) + " cm " +
               std::to_string(number(1'000, 9'999));
    }

    std::int64_t number(std::int64_t from, std::int64_t to) {
        return std::uniform_int_distribution<std::int64_t>(from, to)(_random);
    }

private:
    template <std::size_t N>
    std::string oneOf(const std::array<std::string_view, N>& words) {
        return std::string(words[static_cast<std::size_t>(number(0, N - 1))]) + ' ';
    }

    IndexedTexts texts() {
        const std::string sku = "RS-" + std::to_string(1'000'000 + _id);
        return {weightsOf(name()), {{weightsOf(sku), hashOfSkuKey(sku)}}};
    }

    std::mt19937_64 _random{7};
    std::int64_t _id = 0;
};

double microseconds(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

/// The first time, and the median of those after it.
void report(const char* what, const std::function<void()>& work) {
    constexpr std::size_t TIMES = 101;
    const double first = microseconds(work);
    std::vector<double> times(TIMES);
    std::generate(times.begin(), times.end(), [&] { return microseconds(work); });
    std::nth_element(times.begin(), times.begin() + TIMES / 2, times.end());
    std::printf("%-52s %12.1f %12.1f\n", what, first, times[TIMES / 2]);
}

double cpuMicroseconds(const std::function<void()>& work) {
    const auto now = [] {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
    };
    const double start = now();
    work();
    return now() - start;
}

/// A list whose order has to be made, and the longest of the changes that come meanwhile.
void reportBesideChanges(const std::function<void()>& list, const std::function<void()>& change) {
    std::atomic<bool> isDone{false};
    double time = 0;
    double longest = 0;
    std::thread reader([&] {
        time = microseconds(list);
        isDone = true;
    });
    while (!isDone) {
        longest = std::max(longest, microseconds(change));
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    reader.join();
    std::printf("%-52s %12.1f\n%-52s %12.1f\n", "page 1 by name, first, beside changes", time,
                "the longest of these changes of 500 stocks", longest);
}

IndexFilter searching(std::string_view term) {
    IndexFilter filter;
    filter.searchWeights = {weightsOf(term)};
    return filter;
}

/// Terms that were not searched for before: the median and the greatest of their CPU times, and of how many they find.
void reportNew(const char* what, const CatalogIndex& index, const std::set<std::string>& terms) {
    std::vector<double> times;
    std::vector<std::int64_t> found;
    for (const std::string& term : terms)
        times.push_back(cpuMicroseconds([&] {
            found.push_back(index.page(searching(term), {OrderBy::Id, true}, 0, 20).total);
        }));
    std::sort(times.begin(), times.end());
    std::sort(found.begin(), found.end());
    std::printf("%-52s %12.1f %12.1f %12lld\n", (std::string("search, new: ") + what).c_str(), times[times.size() / 2],
                times.back(), static_cast<long long>(found[found.size() / 2]));
}

void reportNewTerms(const CatalogIndex& index, Generator& generator) {
    constexpr std::size_t TERMS = 50;
    const auto terms = [](const std::function<std::string()>& make) {
        std::set<std::string> made;
        while (made.size() < TERMS)
            made.insert(make());
        return made;
    };
    const auto letters = [&](std::size_t length) {
        std::string term(length, ' ');
        std::generate(term.begin(), term.end(), [&] { return static_cast<char>(generator.number('a', 'y')); });
        return term;
    };
    const auto partOf = [&](std::string_view word, std::size_t length) {
        const auto places = static_cast<std::int64_t>(word.size() - length);
        return std::string(word.substr(static_cast<std::size_t>(generator.number(0, places)), length));
    };
    std::printf("%-52s %12s %12s %12s\n", "microseconds of CPU", "median", "greatest", "found");
    reportNew("three letters", index, terms([&] { return letters(3); }));
    reportNew("six letters", index, terms([&] { return letters(6); }));
    reportNew("three digits", index, terms([&] { return std::to_string(generator.number(100, 999)); }));
    reportNew("six digits", index, terms([&] { return std::to_string(generator.number(100'000, 999'999)); }));
    reportNew("a name", index, terms([&] { return generator.name(); }));
    reportNew("three letters of a variety", index,
              terms([&] { return partOf(VARIETIES[static_cast<std::size_t>(generator.number(0, 9))], 3); }));
    reportNew("six letters of a variety", index,
              terms([&] { return partOf(VARIETIES[static_cast<std::size_t>(generator.number(0, 9))], 6); }));
}

} // namespace

int main(int argc, char** argv) {
    const std::size_t products = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
    Generator generator;
    CatalogIndex index;
    index.reserve(products);
    std::vector<IndexedProduct> numbers;
    double loading = 0;
    for (std::size_t loaded = 0; loaded < products;) {
        std::vector<IndexedProduct> batch(std::min<std::size_t>(5'000, products - loaded));
        std::generate(batch.begin(), batch.end(), [&] { return generator.next(); });
        loading += microseconds([&] { index.apply(batch, {}, 1'000'000); });
        loaded += batch.size();
        for (IndexedProduct& product : batch) {
            product.texts.reset();
            numbers.push_back(product);
        }
    }
    std::printf("%-52s %12.1f\n", "load", loading);
    std::printf("bytes a product, loaded: %.1f\n", static_cast<double>(index.bytes()) / static_cast<double>(products));

    IndexFilter active;
    active.state = ProductState::Active;
    active.type = 0;
    IndexFilter withDeleted;
    withDeleted.includeDeleted = true;
    const std::size_t deep = products / 2;
    const auto page = [&](const IndexFilter& filter, OrderBy by, std::size_t offset) {
        return [&index, &filter, by, offset] { index.page(filter, {by, true}, offset, 20); };
    };
    std::int64_t change = 1'000'000;
    const auto setStocks = [&] {
        ++change;
        std::vector<IndexedProduct> bulk(BULK);
        for (IndexedProduct& product : bulk) {
            product = numbers[static_cast<std::size_t>(generator.number(0, static_cast<std::int64_t>(products) - 1))];
            product.changeSeq = change;
            product.stockQty = generator.number(0, 4'000);
            product.updatedAt = 1'800'000'000'000'000 + change;
        }
        index.apply(bulk, {}, change);
    };
    reportBesideChanges(page({}, OrderBy::Name, 0), setStocks);
    std::printf("%-52s %12s %12s\n", "microseconds", "first", "then");
    report("page 1 by id", page({}, OrderBy::Id, 0));
    report("page in the middle by id", page({}, OrderBy::Id, deep));
    report("page 1 by name", page({}, OrderBy::Name, 0));
    report("page in the middle by name", page({}, OrderBy::Name, deep));
    report("page 1 by price", page({}, OrderBy::BasePrice, 0));
    report("page 1 by stock", page({}, OrderBy::StockQty, 0));
    report("page 1 by time of update", page({}, OrderBy::UpdatedAt, 0));
    report("page 1 by change", page({}, OrderBy::ChangeSeq, 0));
    std::printf("bytes a product, with these orders: %.1f\n",
                static_cast<double>(index.bytes()) / static_cast<double>(products));
    report("page 1 of half of all by name", page(active, OrderBy::Name, 0));
    report("page in its middle", page(active, OrderBy::Name, deep / 2));
    report("page 1 of all with tombstones by price", page(withDeleted, OrderBy::BasePrice, 0));
    for (const char* term : {"a", "ro", "red naomi", "sarah bernhardt burgundy 80 cm 1234", "rs-1500000", "zzz"})
        report((std::string("search '") + term + "'").c_str(), page(searching(term), OrderBy::Id, 0));
    report("search 'moon' by name", page(searching("moon"), OrderBy::Name, 0));
    reportNewTerms(index, generator);
    std::printf("bytes a product, with filters: %.1f\n",
                static_cast<double>(index.bytes()) / static_cast<double>(products));

    report("500 changed stocks", setStocks);
    report("page 1 by id, after 500 changes each", [&] {
        setStocks();
        index.page({}, {}, 0, 20);
    });
    report("page 1 by stock, after 500 changes each", [&] {
        setStocks();
        index.page({}, {OrderBy::StockQty, true}, 0, 20);
    });
    report("page 1 by change, after 500 changes each", [&] {
        setStocks();
        index.page({}, {OrderBy::ChangeSeq, true}, 0, 20);
    });
    report("search 'moon' by name, after 500 changes each", [&] {
        setStocks();
        index.page(searching("moon"), {OrderBy::Name, true}, 0, 20);
    });
    report("a product created, then page 1 by name", [&] {
        const std::vector<IndexedProduct> one{generator.next()};
        index.apply(one, {}, ++change);
        index.page({}, {OrderBy::Name, true}, 0, 20);
    });
    std::printf("bytes a product, at the end: %.1f\n",
                static_cast<double>(index.bytes()) / static_cast<double>(products));
    return EXIT_SUCCESS;
}
