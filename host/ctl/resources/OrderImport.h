#pragma once

#include <supplierd/Database.h>
#include <supplierd/Errors.h>
#include <supplierd/Json.h>
#include <supplierd/services/OrderBook.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// The whole of a file; "-" is standard input. Throws std::filesystem::filesystem_error, and CommandFailure when it is
/// larger than 1 GiB.
std::string readInput(const std::string& path);

/// The orders of a JSON text: one order object, an array of them, or `{"orders": [ … ]}`. The text is checked as a
/// whole at the beginning; an order becomes an object when it is asked for, so that a large file needs little more
/// memory than its text. Thread: any, once made.
class OrderFile {
public:
    /// `name` is what messages call the text. Throws CommandFailure with it, line and column of what is no JSON.
    OrderFile(std::string text, std::string name);

    std::size_t size() const { return _parts.empty() ? _orders.size() : _parts.size(); }
    /// An element of the array, whatever it is.
    JsonDocument order(std::size_t index) const;

private:
    /// Bytes of the text.
    struct Part {
        std::size_t begin;
        std::size_t size;
    };
    class Splitter;

    void checkParts() const;
    /// `understood`: how many bytes the splitter made something of.
    void readWhole(std::size_t understood);
    std::string place(std::size_t byte) const;

    std::string _text;
    std::string _name;
    std::vector<Part> _parts;
    std::vector<JsonDocument> _orders; ///< instead of parts: what is no plain array of objects
};

/// An order that was not taken in.
struct ImportFailure {
    std::size_t position = 0; ///< in the file, counted from 1
    std::string orderNumber;  ///< empty when it has none
    std::string message;
    std::vector<Detail> details;
};

struct ImportOutcome {
    std::size_t total = 0;
    std::size_t created = 0;
    std::size_t existing = 0; ///< taken in before, by an earlier run perhaps
    std::vector<ImportFailure> failures;
    std::string stopReason; ///< why the rest was not tried; empty when nothing stopped it

    std::size_t done() const { return created + existing + failures.size(); }
    std::size_t notTried() const { return total - done(); }
    bool isComplete() const { return failures.empty() && notTried() == 0; }
};

/// Places orders one after the other, in their order, each in a transaction of its own. Thread: one.
class OrderImport {
public:
    struct Hooks {
        std::function<void(const ImportOutcome&)> afterEach;
        /// Asked before each order; not empty: why to stop.
        std::function<std::string(const ImportOutcome&)> stopReason;
    };

    OrderImport(Database& database, OrderBook& book, Actor actor)
        : _database(database), _book(book), _actor(std::move(actor)) {}

    /// What is wrong with one order becomes a failure. What would befall all others too, such as a database that is
    /// away, stops it; before the first order has been placed it is thrown: DatabaseError, ApiError.
    ImportOutcome run(const OrderFile& orders, const Hooks& hooks);

private:
    void placeNext(const JsonValue& order, ImportOutcome& outcome);
    bool place(const JsonObject& order);

    Database& _database;
    OrderBook& _book;
    Actor _actor;
};

} // namespace supplierd::host
