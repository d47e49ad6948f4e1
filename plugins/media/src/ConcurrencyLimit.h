#pragma once

#include <cstdint>
#include <map>
#include <mutex>

namespace supplierd::media {

/// How many requests with images run at once: each holds a thread of the server for as long as the slowest of its URLs
/// takes. Thread: any.
class ConcurrencyLimit {
public:
    ConcurrencyLimit(unsigned most, unsigned mostPerSupplier) : _most(most), _mostPerSupplier(mostPerSupplier) {}

    /// A request that runs.
    class Pass {
    public:
        /// Throws ApiError (Unavailable) when there are too many.
        Pass(ConcurrencyLimit& limit, std::int64_t supplierId);
        ~Pass();
        Pass(const Pass&) = delete;
        Pass& operator=(const Pass&) = delete;

    private:
        ConcurrencyLimit& _limit;
        std::int64_t _supplierId;
    };

private:
    const unsigned _most;
    const unsigned _mostPerSupplier;
    std::mutex _mutex;
    unsigned _running = 0;
    std::map<std::int64_t, unsigned> _runningOf;
};

} // namespace supplierd::media
