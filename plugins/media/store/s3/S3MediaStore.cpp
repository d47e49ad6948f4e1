#include "S3MediaStore.h"

#include "AwsSignature.h"
#include "MediaKey.h"

#include <Poco/AutoPtr.h>
#include <Poco/DOM/DOMParser.h>
#include <Poco/DOM/Document.h>
#include <Poco/DOM/Element.h>
#include <Poco/DOM/NodeList.h>
#include <Poco/DateTime.h>
#include <Poco/DateTimeFormat.h>
#include <Poco/DateTimeParser.h>
#include <Poco/Exception.h>
#include <Poco/SAX/XMLReader.h>
#include <Poco/URI.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <stdexcept>

namespace supplierd::media {

namespace {

using std::chrono::system_clock;

constexpr std::string_view MARK = ".store-id";
constexpr std::string_view CACHE_CONTROL = "Cache-Control: public, max-age=31536000, immutable";
const std::string HASH_FIELD = "x-amz-meta-sha256"; // NOLINT(cert-err58-cpp): a short text
/// As many as S3 gives at once.
constexpr std::size_t MAX_PAGE = 1'000;

MediaStoreError damaged(std::string_view key, const std::string& what) {
    return {MediaStoreError::Kind::Unreachable, what + " " + std::string(key) + " is not what was stored"};
}

/// Whether an ETag is the MD5 of the object's bytes; it is not where the store encrypts them with a key of its own.
bool isMd5(const S3Response& response, const std::string& etag) {
    return etag.size() == 32 && etag.find_first_not_of("0123456789abcdef") == std::string::npos &&
           response.field("x-amz-server-side-encryption").find("kms") == std::string::npos &&
           response.field("x-amz-server-side-encryption-customer-algorithm").empty();
}

std::string etagOf(const S3Response& response) {
    std::string etag = response.field("etag");
    std::erase(etag, '"');
    return etag;
}

void requireWhole(const S3Response& response, std::string_view key) {
    const std::string& hash = response.field(HASH_FIELD);
    const std::string etag = etagOf(response);
    if (hash.empty() ? isMd5(response, etag) && etag != md5Hex(response.body) : hash != sha256Hex(response.body))
        throw damaged(key, "what the S3 store sends as");
}

std::uint64_t number(std::string_view text) {
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// Nothing that can be read: now, so that it passes for young.
system_clock::time_point timeOf(const std::string& text, const std::string& format) {
    Poco::DateTime time;
    int zone = 0;
    if (!Poco::DateTimeParser::tryParse(format, text, time, zone))
        return system_clock::now();
    return system_clock::time_point(std::chrono::microseconds(time.timestamp().epochMicroseconds()));
}

/// By how much this host's clock is ahead of the store's.
system_clock::duration aheadOf(const S3Response& response) {
    const std::string& date = response.field("date");
    return date.empty() ? system_clock::duration{}
                        : system_clock::now() - timeOf(date, Poco::DateTimeFormat::HTTP_FORMAT);
}

std::string childText(const Poco::XML::Element& parent, const std::string& name) {
    const Poco::XML::Element* const child = parent.getChildElement(name);
    return child != nullptr ? child->innerText() : std::string();
}

MediaStoreError wrongList(const std::string& what) {
    return {MediaStoreError::Kind::Refused, "the S3 store sends a list " + what};
}

/// "&#x01;" and the like, which make a whole document unreadable: radosgw has them in its continuation tokens, which
/// are names, whatever encoding was asked for. Returns whether there were any.
bool blankWhatXmlCannotHold(std::string& xml) {
    constexpr std::string_view ALLOWED = "\t\n\r";
    bool isFound = false;
    for (auto at = xml.find("&#"); at != std::string::npos; at = xml.find("&#", at + 1)) {
        const bool isHex = at + 2 < xml.size() && (xml[at + 2] == 'x' || xml[at + 2] == 'X');
        const auto digits = at + (isHex ? 3U : 2U);
        unsigned code = 0;
        const auto [end, error] =
            std::from_chars(xml.data() + std::min(digits, xml.size()), xml.data() + xml.size(), code, isHex ? 16 : 10);
        if (error != std::errc() || code >= 0x20 || ALLOWED.find(static_cast<char>(code)) != std::string_view::npos)
            continue;
        std::fill(xml.data() + at, xml.data() + std::min<std::size_t>(end - xml.data() + 1, xml.size()), ' ');
        isFound = true;
    }
    return isFound;
}

/// Without the encoding that was asked for, since names may hold what XML cannot. Nothing that can be read: "".
std::string nameOf(const Poco::XML::Element& content, bool isEncoded) {
    const std::string text = childText(content, "Key");
    std::string name;
    try {
        if (isEncoded)
            Poco::URI::decode(text, name);
        else
            name = text;
    } catch (const Poco::SyntaxException&) { // NOLINT(bugprone-empty-catch): whoever wrote it, it is no picture's
    }
    return name;
}

Poco::AutoPtr<Poco::XML::Document> parse(const std::string& xml) {
    Poco::XML::DOMParser parser;
    parser.setFeature(Poco::XML::XMLReader::FEATURE_EXTERNAL_GENERAL_ENTITIES, false);
    parser.setFeature(Poco::XML::XMLReader::FEATURE_EXTERNAL_PARAMETER_ENTITIES, false);
    parser.setFeature(Poco::XML::XMLReader::FEATURE_NAMESPACES, false);
    try {
        return parser.parseString(xml);
    } catch (const Poco::Exception& problem) {
        throw MediaStoreError(MediaStoreError::Kind::Unreachable,
                              "the S3 store sends a list that cannot be read: " + problem.displayText());
    }
}

} // namespace

/// One object; its bytes are fetched when they are wanted, and kept.
class S3MediaStore::Object final : public MediaFile {
public:
    Object(const S3MediaStore& store, MediaEntry entry) : _store(store), _entry(std::move(entry)) {}
    Object(const S3MediaStore& store, MediaEntry entry, std::string bytes)
        : _store(store), _entry(std::move(entry)), _bytes(std::move(bytes)) {}

    const MediaEntry& entry() const override { return _entry; }

    std::string read(std::uint64_t offset, std::size_t size) const override {
        if (!_bytes) {
            S3Response response = _store.get(_entry.key);
            if (response.status == 404 || response.body.size() != _entry.bytes)
                throw damaged(_entry.key, "what the S3 store has as");
            _bytes = std::move(response.body);
        }
        return offset < _bytes->size() ? _bytes->substr(offset, size) : std::string();
    }

private:
    const S3MediaStore& _store;
    const MediaEntry _entry;
    mutable std::optional<std::string> _bytes;
};

/// Where a list goes on: where the store says, or behind a name.
struct S3MediaStore::Place {
    std::string after;
    std::string token;
};

/// One answer to a list.
struct S3MediaStore::Page {
    std::vector<MediaEntry> entries;
    std::optional<Place> goesOnAt; ///< nothing: it is the last one
};

S3MediaStore::S3MediaStore(const S3Settings& settings, S3Client::Observer observer)
    : _client(settings, std::move(observer)) {}

std::string S3MediaStore::objectName(std::string_view key) const {
    return _client.settings().prefix + std::string(key);
}

std::vector<std::string> S3MediaStore::put(std::span<const MediaContent> contents) {
    const auto folder = randomFolder();
    std::vector<std::string> keys;
    try {
        for (const auto& content : contents) {
            keys.push_back(randomKey(folder, content.type));
            store(keys.back(), content.bytes, std::string(mediaType(content.type)));
        }
    } catch (const MediaStoreError&) {
        // One that failed may have arrived all the same. What cannot be taken away again is the janitor's.
        try {
            for (const auto& key : keys)
                remove(key);
        } catch (const MediaStoreError&) { // NOLINT(bugprone-empty-catch): the first one tells what is wrong
        }
        throw;
    }
    return keys;
}

void S3MediaStore::putCopy(std::string_view key, std::string_view bytes) {
    const auto type = typeOfKey(key);
    if (!type)
        throw std::invalid_argument("not a key: " + std::string(key));
    store(key, bytes, std::string(mediaType(*type)));
}

void S3MediaStore::store(std::string_view key, std::string_view bytes, const std::string& type) {
    S3Request request{"put", "PUT", objectName(key)};
    request.fields = {std::string(CACHE_CONTROL), "Content-MD5: " + md5Base64(bytes), "Content-Type: " + type,
                      HASH_FIELD + ": " + sha256Hex(bytes)};
    request.body = bytes;
    const S3Response response = _client.send(request);
    const std::string etag = etagOf(response);
    // Whose ETag says nothing of the bytes is asked for them.
    if (response.status == 404 || (isMd5(response, etag) ? etag != md5Hex(bytes) : get(key).body != bytes))
        throw damaged(key, "what the S3 store took as");
}

S3Response S3MediaStore::get(std::string_view key) const {
    S3Response response = _client.send({"get", "GET", objectName(key)});
    if (response.status != 404)
        requireWhole(response, key);
    return response;
}

std::unique_ptr<MediaFile> S3MediaStore::open(std::string_view key) const {
    if (!isMediaKey(key))
        return nullptr;
    const S3Response response = _client.send({"head", "HEAD", objectName(key)});
    // Asked in full, where an image may leave its product for the answer: a HEAD does not tell whether the object is
    // missing or the bucket. Nor may a length that was not said be taken for none.
    if (response.status == 404 || !response.fields.contains("content-length"))
        return fetch(key);
    return std::make_unique<Object>(
        *this, MediaEntry{std::string(key), number(response.field("content-length")),
                          timeOf(response.field("last-modified"), Poco::DateTimeFormat::HTTP_FORMAT)});
}

std::unique_ptr<MediaFile> S3MediaStore::fetch(std::string_view key) const {
    if (!isMediaKey(key))
        return nullptr;
    S3Response response = get(key);
    if (response.status == 404)
        return nullptr;
    MediaEntry entry{std::string(key), response.body.size(),
                     timeOf(response.field("last-modified"), Poco::DateTimeFormat::HTTP_FORMAT)};
    return std::make_unique<Object>(*this, std::move(entry), std::move(response.body));
}

std::optional<std::string> S3MediaStore::signedUrl(std::string_view key, std::string_view method) const {
    return _client.signedUrl(objectName(key), method);
}

bool S3MediaStore::remove(std::string_view key) {
    if (!isMediaKey(key))
        return false;
    _client.send({"delete", "DELETE", objectName(key)});
    return true;
}

std::vector<MediaEntry> S3MediaStore::list(std::string_view after, std::size_t limit) const {
    // What goes through a store relies on each list to go on, in order: it ends there, and what was not listed passes
    // for lost.
    std::vector<MediaEntry> entries;
    Place place{after.empty() ? std::string() : objectName(after), {}};
    std::set<std::string> seen;
    do { // others' objects may fill whole pages
        Page next = page(place, limit - entries.size());
        for (MediaEntry& entry : next.entries) {
            if (entry.key <= (entries.empty() ? after : std::string_view(entries.back().key)))
                throw wrongList(
                    "that is not in the order of the names, or begins before the one that it was asked for");
            entries.push_back(std::move(entry));
        }
        if (!next.goesOnAt)
            return entries;
        place = *std::move(next.goesOnAt);
        if (!seen.insert(place.token.empty() ? place.after : place.token).second)
            throw wrongList("that never ends");
    } while (entries.size() < limit);
    return entries;
}

S3MediaStore::Page S3MediaStore::page(const Place& place, std::size_t limit) const {
    const std::string& prefix = _client.settings().prefix;
    S3Request request{"list", "GET"};
    // In the order of the names, in which it is signed.
    if (!place.token.empty())
        request.query = "continuation-token=" + awsEncoded(place.token) + "&";
    request.query +=
        "encoding-type=url&list-type=2&max-keys=" + std::to_string(std::clamp<std::size_t>(limit, 1, MAX_PAGE));
    request.query += "&prefix=" + awsEncoded(prefix);
    if (place.token.empty() && !place.after.empty())
        request.query += "&start-after=" + awsEncoded(place.after);
    S3Response response = _client.send(request);
    const auto ahead = aheadOf(response);
    const bool isTokenWhole = !blankWhatXmlCannotHold(response.body);
    const auto document = parse(response.body);
    const Poco::XML::Element* const root = document->documentElement();
    if (root->nodeName() != "ListBucketResult")
        throw wrongList("that is none, but \"" + root->nodeName() + "\"");
    const bool isEncoded = childText(*root, "EncodingType") == "url";

    Page page;
    Place last;
    const Poco::AutoPtr<Poco::XML::NodeList> contents = root->getElementsByTagName("Contents");
    for (unsigned long i = 0; i < contents->length(); ++i) {
        const auto& content = dynamic_cast<const Poco::XML::Element&>(*contents->item(i));
        const std::string name = nameOf(content, isEncoded);
        last.after = name;
        if (!name.starts_with(prefix) || !isMediaKey(std::string_view(name).substr(prefix.size())))
            continue;
        page.entries.push_back(
            {name.substr(prefix.size()), number(childText(content, "Size")),
             timeOf(childText(content, "LastModified"), Poco::DateTimeFormat::ISO8601_FRAC_FORMAT) + ahead});
    }
    if (childText(*root, "IsTruncated") != "true")
        return page;
    if (isTokenWhole)
        last.token = childText(*root, "NextContinuationToken");
    if (last.token.empty() && last.after.empty())
        throw wrongList("that is cut, and does not say how it goes on");
    page.goesOnAt = std::move(last);
    return page;
}

std::string S3MediaStore::mark() const {
    const S3Response response = get(MARK);
    return response.status == 404 ? std::string() : response.body.substr(0, response.body.find_first_of("\r\n "));
}

void S3MediaStore::setMark(std::string_view mark) {
    store(MARK, std::string(mark) + "\n", "text/plain");
}

std::string S3MediaStore::markPlace() const {
    return "the object \"" + objectName(MARK) + "\" of the bucket \"" + _client.settings().bucket + "\" at " +
           _client.settings().endpoint;
}

std::chrono::seconds S3MediaStore::clockDifference() const {
    return std::chrono::round<std::chrono::seconds>(-aheadOf(_client.send({"get", "GET", objectName(MARK)})));
}

} // namespace supplierd::media
