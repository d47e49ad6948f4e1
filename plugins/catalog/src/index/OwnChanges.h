#pragma once

#include "index/IndexedProduct.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace supplierd::catalog {

/// The changes of one supplier that this server makes itself, from before their COMMIT until the index has them: what
/// it wrote it need not read. A change that others made, or that did more than is known here, is missing; who needs it
/// reads the change log. Thread: any.
class OwnChanges {
public:
    using Clock = std::chrono::steady_clock;
    using Pointer = std::shared_ptr<const NumbersChange>;

    /// A change that may be committed under this number. When it goes without that, nobody waits for it any more.
    class Announced {
    public:
        Announced(std::shared_ptr<OwnChanges> changes, std::int64_t seq, NumbersChange change);
        ~Announced();
        Announced(const Announced&) = delete;
        Announced& operator=(const Announced&) = delete;

        /// `isAll`: nothing else was noted of products under the number.
        void commit(bool isAll);

    private:
        const std::shared_ptr<OwnChanges> _changes;
        const std::int64_t _seq;
        Pointer _change; ///< until it is committed
    };

    /// The committed change with this number; null when it is not there.
    Pointer find(std::int64_t seq) const;
    /// Up to this one; they are in the index, or will not be taken.
    void forgetUpTo(std::int64_t seq);
    /// Forgets the last of these numbers unless each of them is committed or announced here.
    void forgetUnlessAll(std::int64_t first, std::int64_t last);
    /// Whether each of these numbers is committed or announced here.
    bool haveAll(std::int64_t first, std::int64_t last) const;
    /// Until this one is committed, or not expected any more.
    void wait(std::int64_t seq, Clock::time_point deadline);
    void clear();

private:
    /// More than transactions of a supplier can be under way.
    static constexpr std::size_t MOST = 64;

    struct Own {
        std::size_t announced = 0;
        Pointer committed = nullptr;
    };

    void end(std::int64_t seq, const Pointer& committed, bool isMissing);
    bool hasAll(std::int64_t first, std::int64_t last) const;

    mutable std::mutex _mutex;
    std::condition_variable _moved;
    std::map<std::int64_t, Own> _bySeq;
};

} // namespace supplierd::catalog
