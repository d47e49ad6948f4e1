#include "ListRequest.h"

#include <array>
#include <ctime>

namespace supplierd::tests {

namespace {

constexpr std::array<const char*, 12> WORDS{"rosa",  "tulipa", "dahlia", "viola", "iris", "red",
                                            "white", "pink",   "mini",   "grand", "prix", "bunch"};

std::uint32_t number(std::mt19937& random, std::uint32_t below) {
    return std::uniform_int_distribution<std::uint32_t>(0, below - 1)(random);
}

std::string word(std::mt19937& random) {
    return WORDS[number(random, WORDS.size())];
}

std::string timeBefore(std::time_t seconds) {
    const std::time_t then = std::time(nullptr) - seconds;
    std::tm parts{};
    gmtime_r(&then, &parts);
    std::array<char, 32> text{};
    return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts)};
}

} // namespace

void ListRequest::clearFilter() {
    state.reset();
    type.reset();
    category.reset();
    search.clear();
    skus.clear();
    updatedSince.clear();
}

std::string ListRequest::path() const {
    static constexpr std::array<const char*, 3> STATES{"pending", "active", "inactive"};
    std::string path = "/products?per_page=" + std::to_string(perPage);
    if (state)
        path += std::string("&status=") + STATES.at(static_cast<std::size_t>(*state));
    if (type)
        path += *type == 0 ? "&type=flower" : "&type=supply";
    if (category)
        path += "&category_id=" + std::to_string(*category);
    if (!search.empty())
        path += "&search=" + search;
    for (std::size_t i = 0; i < skus.size(); ++i)
        path += (i == 0 ? "&sku=" : ",") + skus[i];
    if (!updatedSince.empty())
        path += "&updated_since=" + updatedSince + "Z";
    if (includeDeleted)
        path += "&include_deleted=true";
    if (!changedAfter)
        path += std::string("&sort=") + SORTS[sort];
    else
        path += "&changed_after=" + std::to_string(*changedAfter);
    if (!cursor.empty())
        path += "&cursor=" + cursor;
    else if (page > 1)
        path += "&page=" + std::to_string(page);
    std::string include;
    for (const auto& [isWanted, name] :
         {std::pair(variants, ",variants"), {images, ",images"}, {description, ",description"}})
        if (isWanted)
            include += name;
    return include.empty() ? path : path + "&include=" + include.substr(1);
}

ListRequest ListRequest::random(std::mt19937& random, const std::vector<std::int64_t>& categories) {
    ListRequest request;
    request.sort = number(random, 10);
    request.perPage = 1 + number(random, 12);
    if (number(random, 4) == 0)
        request.page = 1 + number(random, 60);
    request.includeDeleted = number(random, 5) == 0;
    switch (number(random, 12)) {
    case 0:
        request.state = number(random, 3);
        break;
    case 1:
        request.type = number(random, 2);
        break;
    case 2:
        request.category = categories[number(random, static_cast<std::uint32_t>(categories.size()))];
        break;
    case 3:
        request.search = word(random);
        break;
    case 4:
        request.search = word(random).substr(number(random, 3)) + "%20" + word(random).substr(0, 2);
        break;
    case 5:
        request.search = "-" + std::to_string(number(random, 60));
        break; // of SKUs
    case 6:
        for (std::uint32_t i = 1 + number(random, 6); i > 0; --i)
            request.skus.push_back(randomSku(random));
        break;
    case 7:
        request.updatedSince = timeBefore(number(random, 5));
        break;
    case 8:
        request.state = number(random, 2);
        request.search = word(random).substr(0, 3);
        request.updatedSince = timeBefore(number(random, 20));
        break;
    default:
        break;
    }
    if (number(random, 5) == 0) {
        request.variants = number(random, 2) == 0;
        request.images = number(random, 2) == 0;
        request.description = number(random, 2) == 0;
    }
    return request;
}

std::string randomName(std::mt19937& random) {
    std::string name = word(random);
    for (std::uint32_t i = number(random, 3); i > 0; --i)
        name += " " + word(random);
    return number(random, 3) == 0 ? name + " " + std::to_string(number(random, 100)) : name;
}

std::string randomSku(std::mt19937& random) {
    return word(random).substr(0, 2) + "-" + std::to_string(number(random, 400));
}

} // namespace supplierd::tests
