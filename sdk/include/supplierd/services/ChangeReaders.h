#pragma once

#include <supplierd/Abi.h>
#include <supplierd/services/ChangeLog.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace supplierd {

/// Somebody who is told of every change of every supplier, a supplier's in order, each exactly once.
struct SUPPLIERD_API ChangeReader {
    /// As a job's, and unique among the plugin's jobs: a reader is one, which runs on one server at a time.
    std::string name;
    /// What follows the reader's place at one supplier (MARKETPLACE is one of them). The place moves in the same
    /// transaction: what is written in it for these entries is committed once, whatever happens. The work itself may be
    /// repeated, as that of any transaction. ApiError (RateLimited) says "not now": that supplier's turn comes again a
    /// tenth of a second later, and the others' meanwhile. Where the page is not complete, changes are missing after
    /// its entries: read anew what matters; the reader goes on after `committed`. What it throws is logged and tried
    /// again after a pause that grows from a second to an hour, and holds up that supplier alone.
    std::function<void(Transaction& transaction, std::int64_t supplierId, const ChangePage& page)> work;
    /// Entries of a page.
    std::size_t atOnce = 100;
    Reserved reserved = {};
};

/// A service of the host: each plugin has its own readers. Thread: any. Since 1.0.
class SUPPLIERD_API ChangeReaders {
public:
    static constexpr std::string_view ID = "supplierd.change-readers/1";

    /// Call in start(); it begins once the server serves, and is woken by commits of this server at once, by those of
    /// others within two seconds. A reader that is new begins with what comes from then on; its places are kept, also
    /// while its plugin is not enabled, as long as the log has what follows: entries wait for readers for seven days at
    /// least. Throws std::logic_error as Jobs::add() does. `supplierctl plugin validate` reads nothing.
    virtual void add(ChangeReader reader) = 0;

protected:
    ~ChangeReaders() = default;
};

} // namespace supplierd
