#include "AnswerCheck.h"
#include "ListReaders.h"
#include "ListServers.h"
#include "ProductWriters.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ModelRun.h"

namespace supplierd::tests {

/// Sixteen writers and eight readers on two servers, one of which is killed again and again: every answer is what the
/// commits up to its number give, replayed in a plain map, and none is older than what somebody had heard of before.
class ConcurrentListsTest : public CppUnit::TestFixture {};

TEST(ConcurrentListsTest, everyAnswerIsWhatTheCommitsGive) {
    ListServers servers;
    AnswerCheck check(servers.log());
    ModelRun<ListServers, ProductWriters, ListReaders, AnswerCheck> run(servers, check);
    run.killAgainAndAgain(1, [](const RunCounts& so) { return so.answers > 200 && so.walks > 0 && so.commits > 50; });
}

} // namespace supplierd::tests
