#pragma once

#include <supplierd/services/ChangeReaders.h>

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace supplierd::testing {

/// The readers that a plugin has added; a test gives them what they read:
///     host.changeReaders().read("queue", 7, {.committed = 3, .entries = {{.seq = 3, .objects = {{"product.updated",
///     {17}}}}}});
/// Thread: one. Since 1.0.
class FakeChangeReaders final : public ChangeReaders {
public:
    explicit FakeChangeReaders(Database& database) : _database(database) {}

    void add(ChangeReader reader) override {
        if (!reader.work)
            throw std::logic_error("the change reader has no work");
        std::string name = reader.name;
        if (!_readers.emplace(std::move(name), std::move(reader)).second)
            throw std::logic_error("a change reader of this name is there already");
    }

    /// In a transaction of its own. Throws what the reader throws, and std::out_of_range when there is none.
    void read(std::string_view name, std::int64_t supplierId, const ChangePage& page) {
        const ChangeReader& found = reader(name);
        _database.withTransaction([&](Transaction& transaction) { found.work(transaction, supplierId, page); });
    }
    const ChangeReader& reader(std::string_view name) const {
        const auto found = _readers.find(name);
        if (found == _readers.end())
            throw std::out_of_range("no change reader '" + std::string(name) + "'");
        return found->second;
    }

private:
    Database& _database;
    std::map<std::string, ChangeReader, std::less<>> _readers;
};

} // namespace supplierd::testing
