#include "index/OwnChanges.h"

#include <utility>

namespace supplierd::catalog {

OwnChanges::Announced::Announced(std::shared_ptr<OwnChanges> changes, std::int64_t seq, NumbersChange change)
    : _changes(std::move(changes)), _seq(seq), _change(std::make_shared<const NumbersChange>(std::move(change))) {
    {
        const std::lock_guard lock(_changes->_mutex);
        ++_changes->_bySeq[seq].announced;
        if (_changes->_bySeq.size() > MOST)
            _changes->_bySeq.erase(_changes->_bySeq.begin());
    }
    _changes->_moved.notify_all();
}

OwnChanges::Announced::~Announced() {
    if (_change)
        _changes->end(_seq, nullptr, false);
}

void OwnChanges::Announced::commit(bool isAll) {
    const Pointer change = std::exchange(_change, nullptr);
    _changes->end(_seq, isAll ? change : nullptr, !isAll);
}

/// A number is committed once, so that one that was rolled back under it has nothing to say.
void OwnChanges::end(std::int64_t seq, const Pointer& committed, bool isMissing) {
    {
        const std::lock_guard lock(_mutex);
        const auto found = _bySeq.find(seq);
        if (found == _bySeq.end())
            return;
        Own& own = found->second;
        --own.announced;
        if (committed)
            own.committed = committed;
        else if (isMissing || (own.announced == 0 && !own.committed))
            _bySeq.erase(found);
    }
    _moved.notify_all();
}

OwnChanges::Pointer OwnChanges::find(std::int64_t seq) const {
    const std::lock_guard lock(_mutex);
    const auto found = _bySeq.find(seq);
    return found == _bySeq.end() ? nullptr : found->second.committed;
}

void OwnChanges::forgetUpTo(std::int64_t seq) {
    {
        const std::lock_guard lock(_mutex);
        const auto end = _bySeq.upper_bound(seq);
        if (end == _bySeq.begin())
            return;
        _bySeq.erase(_bySeq.begin(), end);
    }
    _moved.notify_all();
}

void OwnChanges::forgetUnlessAll(std::int64_t first, std::int64_t last) {
    {
        const std::lock_guard lock(_mutex);
        if (hasAll(first, last))
            return;
        _bySeq.erase(last);
    }
    _moved.notify_all();
}

bool OwnChanges::haveAll(std::int64_t first, std::int64_t last) const {
    const std::lock_guard lock(_mutex);
    return hasAll(first, last);
}

bool OwnChanges::hasAll(std::int64_t first, std::int64_t last) const {
    auto next = _bySeq.find(first);
    for (; first <= last; ++first, ++next)
        if (next == _bySeq.end() || next->first != first)
            return false;
    return true;
}

void OwnChanges::wait(std::int64_t seq, Clock::time_point deadline) {
    std::unique_lock lock(_mutex);
    _moved.wait_until(lock, deadline, [&] {
        const auto found = _bySeq.find(seq);
        return found == _bySeq.end() || found->second.committed;
    });
}

void OwnChanges::clear() {
    {
        const std::lock_guard lock(_mutex);
        _bySeq.clear();
    }
    _moved.notify_all();
}

} // namespace supplierd::catalog
