#pragma once

#include <supplierd/Database.h>

#include <Poco/ExpireLRUCache.h>

#include <string>

namespace supplierd::media {

/// Which files images have, where nobody asks the store. Thread: any.
class KnownFiles {
public:
    explicit KnownFiles(Database& database) : _database(database) {}

    /// By two unique keys of the database, which is asked again after five minutes for a file that an image has, and
    /// each time for others. True as well while the database cannot tell: then the store does.
    bool contains(const std::string& key);

private:
    static constexpr long CAPACITY = 10'000;
    static constexpr long EXPIRY_MS = 300'000;

    Database& _database;
    Poco::ExpireLRUCache<std::string, bool> _known{CAPACITY, EXPIRY_MS};
};

} // namespace supplierd::media
