#pragma once

#include "OrderAnswerCheck.h"
#include "OrderServers.h"

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

/// Threads that ask both servers for orders and for lists of every kind, and walk through them from server to server.
/// They keep every answer.
class OrderReaders {
public:
    OrderReaders(OrderServers& servers, unsigned seed);
    ~OrderReaders();

    void finish();
    std::vector<OrderAnswerPointer> takeAnswers() { return std::move(_answers); }
    /// Those that are no good answers, such as "503"; with what was wrong.
    const std::map<std::string, std::size_t>& failures() const { return _failures; }
    std::size_t unchanged() const { return _unchanged; }

private:
    struct Reader;

    void run(unsigned seed);
    void readOrder(Reader& reader);
    void readList(Reader& reader);
    void walk(Reader& reader);
    void followChanges(Reader& reader);
    OrderAnswerPointer ask(Reader& reader, const std::string& path, OrderAnswerPointer answer);
    /// The same again with the tag of an answer: the same number when it is unchanged.
    void askAgain(Reader& reader, const std::string& path, const OrderAnswer& answer);
    void keep(const OrderAnswerPointer& answer);
    void fail(const std::string& what);

    OrderServers& _servers;
    std::atomic<bool> _stopping{false};
    std::mutex _mutex;
    std::vector<OrderAnswerPointer> _answers;
    std::map<std::string, std::size_t> _failures;
    std::size_t _unchanged = 0;
    std::vector<std::thread> _threads;
};

} // namespace supplierd::tests
