#pragma once

#include "tests/support/HttpClient.h"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

/// Which servers get requests, as a balancer decides it: one that is to be restarted is left first, and finishes what
/// it has. Thread: any.
class Rotation {
public:
    explicit Rotation(std::vector<std::string> urls) : _servers(urls.size()) {
        for (std::size_t i = 0; i < urls.size(); ++i)
            _servers[i].url = std::move(urls[i]);
    }

    /// Nobody asks it any more when this returns.
    void takeOut(std::size_t server);
    void putBack(std::size_t server, const std::string& url);

    /// A request of one of the servers, for as long as the object lives.
    class Turn {
    public:
        Turn(Rotation& rotation, std::mt19937& random);
        ~Turn();
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        const std::string& url() const { return _url; }

    private:
        Rotation& _rotation;
        std::size_t _server = 0;
        std::string _url;
    };

private:
    struct Server {
        std::string url; ///< with the suppliers' path prefix
        bool isIn = true;
        int requests = 0;
    };

    std::mutex _mutex;
    std::condition_variable _changed;
    std::vector<Server> _servers;
};

struct UpgradeParties {
    std::string supplierKey;
    std::string operatorKey;
    std::int64_t category = 0;
    std::vector<std::int64_t> stocked; ///< products that stock is added to
    std::int64_t sold = 0;             ///< an approved one, with stock for all orders
};

/// Clients that write and read by whatever server, and keep a ledger. Every answer has to be a good one, and to show
/// what was acknowledged before.
class UpgradeLoad {
public:
    UpgradeLoad(Rotation& rotation, UpgradeParties parties);
    ~UpgradeLoad();

    void finish();
    std::size_t acknowledged() const { return _acknowledged; }
    /// What was wrong, the first of it.
    std::vector<std::string> complaints() const;

    /// After finish().
    const std::map<std::int64_t, std::int64_t>& stock() const { return _stock; }
    const std::set<std::string>& skus() const { return _skus; }
    std::size_t orders() const { return _orders; }
    std::size_t reads() const { return _reads; }

private:
    struct Client {
        int number = 0;
        int count = 0;
        std::mt19937 random;
        std::map<std::string, HttpClient> connections = {};
    };

    void run(int number);
    /// The data of the answer; nothing when it was not the good one.
    Json ask(Client& client, const std::string& path, const Json& body, bool asOperator = false);
    void addStock(Client& client);
    void createProduct(Client& client);
    void placeOrder(Client& client);
    void readLists(Client& client);
    void complain(const std::string& text);

    Rotation& _rotation;
    const UpgradeParties _parties;
    std::atomic<bool> _isStopping{false};
    std::atomic<std::size_t> _acknowledged{0};
    std::atomic<std::size_t> _reads{0};
    mutable std::mutex _mutex;
    std::map<std::int64_t, std::int64_t> _stock;
    std::set<std::string> _skus;
    std::size_t _orders = 0;
    std::vector<std::string> _complaints;
    std::vector<std::thread> _threads;
};

} // namespace supplierd::tests
