#include "OrderAnswerCheck.h"
#include "OrderReaders.h"
#include "OrderServers.h"
#include "OrderWriters.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ModelRun.h"

namespace supplierd::tests {

/// Seven writers and six readers of orders on two servers, one of which is killed again and again: every answer is what
/// the commits up to its number give, replayed in a plain map, and none is older than what somebody had heard of
/// before.
class ConcurrentOrdersTest : public CppUnit::TestFixture {};

TEST(ConcurrentOrdersTest, everyAnswerIsWhatTheCommitsGive) {
    OrderServers servers;
    OrderAnswerCheck check(servers.database(), servers.log());
    ModelRun<OrderServers, OrderWriters, OrderReaders, OrderAnswerCheck> run(servers, check);
    run.killAgainAndAgain(1, [](const RunCounts& so) {
        return so.answers > 200 && so.unchanged > 10 && so.acknowledged > 20 && so.walks > 0 && so.commits > 50;
    });
    CPPUNIT_ASSERT_MESSAGE("memory was not asked",
                           servers.server(0).metric(R"(supplierd_orders_details_total{result="hit"})") > 0);
}

} // namespace supplierd::tests
