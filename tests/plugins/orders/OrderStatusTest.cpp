#include "OrderStatus.h"

#include "tests/support/Test.h"

#include <set>
#include <string>
#include <utility>

namespace supplierd::tests {

using orders::allowedFrom;
using orders::isAllowed;
using orders::nameOf;
using orders::OrderStatus;
using orders::Party;
using orders::STATUS_NAMES;
using orders::statusNamed;
using orders::statusNumbered;

namespace {

using Moves = std::set<std::pair<std::string, std::string>>;

/// As the specification has them.
const Moves SUPPLIERS{{"pending", "confirmed"},   {"pending", "cancelled"},  {"confirmed", "processing"},
                      {"confirmed", "cancelled"}, {"processing", "shipped"}, {"processing", "cancelled"},
                      {"shipped", "delivered"}};
const Moves PLATFORMS{{"delivered", "completed"}};

} // namespace

class OrderStatusTest : public CppUnit::TestFixture {};

TEST(OrderStatusTest, everyPairOfStatesIsAsTheSpecificationSays) {
    for (const auto by : {Party::Supplier, Party::Platform}) {
        const Moves& moves = by == Party::Supplier ? SUPPLIERS : PLATFORMS;
        for (const auto from : STATUS_NAMES) {
            std::size_t allowed = 0;
            for (const auto to : STATUS_NAMES) {
                const bool expected = moves.contains({std::string(from), std::string(to)});
                CPPUNIT_ASSERT_EQUAL_MESSAGE(std::string(from) + " to " + std::string(to), expected,
                                             isAllowed(*statusNamed(from), *statusNamed(to), by));
                allowed += expected ? 1U : 0U;
            }
            CPPUNIT_ASSERT_EQUAL(allowed, allowedFrom(*statusNamed(from), by).size());
        }
    }
}

TEST(OrderStatusTest, namesAndNumbersAreThoseOfTheDatabase) {
    for (std::size_t i = 0; i < STATUS_NAMES.size(); ++i) {
        const OrderStatus status = statusNumbered(static_cast<std::int64_t>(i));
        CPPUNIT_ASSERT_EQUAL(std::string(STATUS_NAMES[i]), std::string(nameOf(status)));
        CPPUNIT_ASSERT(statusNamed(STATUS_NAMES[i]) == status);
    }
    CPPUNIT_ASSERT_THROW(statusNumbered(7), std::out_of_range);
    CPPUNIT_ASSERT_THROW(statusNumbered(-1), std::out_of_range);
    CPPUNIT_ASSERT(!statusNamed("Pending"));
    CPPUNIT_ASSERT(!statusNamed(""));
}

} // namespace supplierd::tests
