#include "OrderRequest.h"

#include <array>
#include <ctime>

namespace supplierd::tests {

namespace {

std::uint32_t number(std::mt19937& random, std::uint32_t below) {
    return std::uniform_int_distribution<std::uint32_t>(0, below - 1)(random);
}

std::string timeBefore(std::time_t seconds) {
    const std::time_t then = std::time(nullptr) - seconds;
    std::tm parts{};
    gmtime_r(&then, &parts);
    std::array<char, 32> text{};
    return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts)};
}

} // namespace

void OrderRequest::clearFilter() {
    status.clear();
    createdFrom.clear();
    updatedSince.clear();
}

std::string OrderRequest::path() const {
    std::string path = "/orders?per_page=" + std::to_string(perPage);
    if (!status.empty())
        path += "&status=" + status;
    if (!createdFrom.empty())
        path += "&created_from=" + createdFrom + "Z";
    if (!updatedSince.empty())
        path += "&updated_since=" + updatedSince + "Z";
    if (changedAfter)
        path += "&changed_after=" + std::to_string(*changedAfter);
    if (!cursor.empty())
        path += "&cursor=" + cursor;
    else if (page > 1)
        path += "&page=" + std::to_string(page);
    return path;
}

OrderRequest OrderRequest::random(std::mt19937& random) {
    OrderRequest request;
    request.perPage = 1 + number(random, 12);
    if (number(random, 4) == 0)
        request.page = 1 + number(random, 40);
    if (number(random, 3) == 0)
        request.status = ORDER_STATUSES[number(random, ORDER_STATUSES.size())];
    switch (number(random, 6)) {
    case 0:
        request.createdFrom = timeBefore(number(random, 5));
        break;
    case 1:
        request.updatedSince = timeBefore(number(random, 5));
        break;
    case 2:
        request.createdFrom = timeBefore(number(random, 8));
        request.updatedSince = timeBefore(number(random, 3));
        break;
    default:
        break;
    }
    return request;
}

} // namespace supplierd::tests
