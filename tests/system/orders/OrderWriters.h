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

/// Threads that place, move, cancel and complete orders and push stock, through both servers, and one that completes by
/// supplierctl.
class OrderWriters {
public:
    OrderWriters(OrderServers& servers, unsigned seed);
    ~OrderWriters();

    void finish();
    std::vector<AcknowledgedMove> takeMoves() { return std::move(_moves); }
    /// Answers of writers, by what was asked and status.
    const std::map<std::string, std::size_t>& answers() const { return _answers; }

private:
    struct Writer;

    void run(unsigned seed);
    void write(Writer& writer);
    void place(Writer& writer);
    void move(Writer& writer, OrderedSupplier& supplier, std::int64_t order);
    void complete(Writer& writer, OrderedSupplier& supplier, std::int64_t order);
    void pushStock(Writer& writer, OrderedSupplier& supplier);
    void completeByTool(std::mt19937& random);
    void count(const std::string& what, int status);
    void acknowledge(OrderedSupplier& supplier, const HttpResponse& response, std::int64_t order,
                     const std::string& status);

    OrderServers& _servers;
    std::atomic<bool> _stopping{false};
    std::mutex _mutex;
    std::vector<AcknowledgedMove> _moves;
    std::map<std::string, std::size_t> _answers;
    std::vector<std::thread> _threads;
};

} // namespace supplierd::tests
