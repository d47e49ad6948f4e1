#include <supplierd/Errors.h>
#include <supplierd/Plugin.h>
#include <supplierd/services/ChangeReaders.h>

#include <chrono>
#include <stdexcept>
#include <thread>

namespace supplierd::tests {

namespace {

constexpr std::string_view TABLE = R"sql(
CREATE TABLE follower_seen (
    supplier_id BIGINT NOT NULL,
    change_seq  BIGINT NOT NULL,
    kinds       VARCHAR(1024) NOT NULL,
    ids         INT NOT NULL,
    PRIMARY KEY (supplier_id, change_seq)
) ENGINE=InnoDB;

CREATE TABLE follower_gaps (
    supplier_id BIGINT NOT NULL,
    committed   BIGINT NOT NULL,
    PRIMARY KEY (supplier_id, committed)
) ENGINE=InnoDB;

CREATE TABLE follower_refused (supplier_id BIGINT NOT NULL PRIMARY KEY) ENGINE=InnoDB;

CREATE TABLE follower_ignored (supplier_id BIGINT NOT NULL PRIMARY KEY) ENGINE=InnoDB;

CREATE TABLE follower_put_off (supplier_id BIGINT NOT NULL PRIMARY KEY) ENGINE=InnoDB;

CREATE TABLE follower_laborious (supplier_id BIGINT NOT NULL PRIMARY KEY) ENGINE=InnoDB;
)sql";

constexpr std::string_view NOTE = "INSERT INTO follower_seen (supplier_id, change_seq, kinds, ids) VALUES (?, ?, ?, ?)";
constexpr std::string_view NOTE_GAP = "INSERT INTO follower_gaps (supplier_id, committed) VALUES (?, ?)";
constexpr std::string_view IS_REFUSED = "SELECT 1 FROM follower_refused WHERE supplier_id = ?";
constexpr std::string_view IS_PUT_OFF = "SELECT 1 FROM follower_put_off WHERE supplier_id = ?";
constexpr std::string_view IS_LABORIOUS = "SELECT 1 FROM follower_laborious WHERE supplier_id = ?";
constexpr std::string_view IS_IGNORED = "SELECT 1 FROM follower_ignored WHERE supplier_id = ?";

} // namespace

/// Writes down every entry of the change log, but of suppliers that it ignores; one that comes twice breaks its primary
/// key.
class FollowerPlugin final : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription about;
        about.summary = "Writes down what changes";
        about.migrations = {{1, "seen", std::string(TABLE)}};
        return about;
    }

    void start(Host& host) override { host.service<ChangeReaders>()->add({"notebook", &note, 7}); }

private:
    static void note(Transaction& transaction, std::int64_t supplierId, const ChangePage& page) {
        if (transaction.query(IS_IGNORED, {supplierId}).next())
            return;
        if (transaction.query(IS_PUT_OFF, {supplierId}).next())
            throw ApiError(ErrorKind::RateLimited, "not now");
        if (transaction.query(IS_LABORIOUS, {supplierId}).next())
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
        for (const ChangeEntry& entry : page.entries) {
            std::string kinds;
            std::size_t ids = 0;
            for (const ChangedObjects& objects : entry.objects) {
                kinds += (kinds.empty() ? "" : " ") + objects.kind;
                ids += objects.ids.size();
            }
            transaction.execute(NOTE, {supplierId, entry.seq, kinds, ids});
        }
        if (!page.isComplete)
            transaction.execute(NOTE_GAP, {supplierId, page.committed});
        if (transaction.query(IS_REFUSED, {supplierId}).next())
            throw std::runtime_error("the notebook is shut");
    }
};

} // namespace supplierd::tests

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::tests::FollowerPlugin)
