#include "NaiveCatalog.h"
#include "RandomCatalog.h"
#include "index/CatalogIndex.h"
#include "tests/support/Test.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

using namespace catalog;

class IndexConcurrencyTest : public CppUnit::TestFixture {};

TEST(IndexConcurrencyTest, everyAnswerBesideAWriterIsThatOfItsNumber) {
    RandomCatalog random(21);
    std::vector<RandomCatalog::Change> changes{random.change(300, 0)};
    for (int i = 0; i < 150; ++i)
        changes.push_back(random.change(i % 5 == 0 ? 1 : 0, 12, i % 40 == 0 ? 1 : 0));
    std::vector<NaiveCatalog> states(changes.size());
    for (std::size_t i = 0; i < changes.size(); ++i) {
        states[i] = i == 0 ? NaiveCatalog() : states[i - 1];
        states[i].apply(changes[i].products, changes[i].removed, changes[i].changeSeq);
    }

    CatalogIndex index;
    const auto apply = [&](std::size_t i) {
        index.apply(changes[i].products, changes[i].removed, changes[i].changeSeq);
    };
    apply(0);
    std::atomic<int> answers{0};
    std::atomic<int> wrong{0};
    std::atomic<bool> isDone{false};
    std::vector<std::thread> readers;
    for (unsigned reader = 0; reader < 4; ++reader)
        readers.emplace_back([&, reader] {
            RandomCatalog queries(1'000 + reader);
            while (!isDone) {
                const IndexFilter filter = queries.filter();
                const IndexOrder order = queries.order();
                const auto offset = static_cast<std::size_t>(queries.number(0, 300));
                const IndexedPage page = index.page(filter, order, offset, 20);
                const NaiveCatalog& state = states[static_cast<std::size_t>(page.changeSeq - 1)];
                const IndexedPage expected = state.page(filter, order, offset, 20);
                if (page.items != expected.items || page.total != expected.total)
                    ++wrong;
                if (index.forgotten() > index.products() || index.greatestId() == 0 || index.bytes() == 0 ||
                    index.logBegin() != 0 || index.changeOf(1).value_or(1) > index.changeSeq())
                    ++wrong;
                ++answers;
            }
        });
    // Each change waits until some answers were given since the last.
    for (std::size_t i = 1; i < changes.size(); ++i) {
        const int before = answers;
        while (answers < before + 8)
            std::this_thread::yield();
        apply(i);
    }
    isDone = true;
    for (std::thread& reader : readers)
        reader.join();
    CPPUNIT_ASSERT_EQUAL(0, wrong.load());
    CPPUNIT_ASSERT(answers >= 1'200);
    CPPUNIT_ASSERT_EQUAL(changes.back().changeSeq, index.changeSeq());
}

TEST(IndexConcurrencyTest, changesDoNotWaitForAListThatIsAskedForTheFirstTime) {
    constexpr int LISTS = 40;
    RandomCatalog random(5);
    std::vector<RandomCatalog::Change> changes{random.change(80'000, 0)};
    for (int i = 0; i < 20'000; ++i)
        changes.push_back(random.change(i % 9 == 0 ? 1 : 0, 4, i % 100 == 0 ? 1 : 0));
    CatalogIndex index;
    const auto apply = [&](const RandomCatalog::Change& change) {
        index.apply(change.products, change.removed, change.changeSeq);
    };
    apply(changes.front());
    struct Answer {
        IndexFilter filter;
        IndexOrder order;
        IndexedPage page;
    };
    std::vector<Answer> answers;
    std::int64_t mostChanges = 0;
    std::atomic<bool> isDone{false};
    std::thread reader([&] {
        RandomCatalog queries(6);
        for (int i = 0; i < LISTS; ++i) {
            // Never the same filter again, so that each list has an order to be made.
            IndexFilter filter = i % 4 == 0 ? IndexFilter{} : queries.filter();
            filter.updatedSince = i;
            const IndexOrder order{static_cast<OrderBy>(i / 2 % 6), i % 3 == 0};
            const std::int64_t before = index.changeSeq();
            answers.push_back({filter, order, index.page(filter, order, 0, 50)});
            mostChanges = std::max(mostChanges, answers.back().page.changeSeq - before);
        }
        isDone = true;
    });
    std::size_t applied = 1;
    while (!isDone) {
        if (applied < changes.size())
            apply(changes[applied++]);
        std::this_thread::yield();
    }
    reader.join();
    CPPUNIT_ASSERT(mostChanges >= 3);
    NaiveCatalog naive;
    auto answer = answers.begin();
    for (const auto& change : changes) {
        naive.apply(change.products, change.removed, change.changeSeq);
        for (; answer != answers.end() && answer->page.changeSeq == change.changeSeq; ++answer)
            requireSame("list " + std::to_string(answer - answers.begin()),
                        naive.page(answer->filter, answer->order, 0, 50), answer->page);
    }
    CPPUNIT_ASSERT(answer == answers.end());
}

} // namespace supplierd::tests
