#include "host/db/StatementCache.h"

#include <string>

namespace supplierd::host {

PreparedStatement& StatementCache::get(std::string_view sql) {
    if (const auto found = _byText.find(sql); found != _byText.end()) {
        _order.splice(_order.begin(), _order, found->second);
        return _order.front();
    }
    if (_byText.size() >= CAPACITY)
        forget(_order.back().sql());
    _order.emplace_front(_handle, _health, sql);
    _byText.emplace(_order.front().sql(), _order.begin());
    return _order.front();
}

void StatementCache::forget(std::string_view sql) {
    const auto found = _byText.find(sql);
    if (found == _byText.end())
        return;
    const auto statement = found->second;
    _byText.erase(found);
    _order.erase(statement);
}

} // namespace supplierd::host
