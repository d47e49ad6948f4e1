#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Config.h>
#include <supplierd/Host.h>
#include <supplierd/PluginNote.h>
#include <supplierd/Request.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace supplierd {

/// What a route takes as its body. The host refuses a request that has none (411), one that is
/// too large (413) and a compressed one (415).
enum class Body {
    None,
    Json, ///< a JSON object: 415 for another content type, 422 for what is none; Request::body()
    Form, ///< application/x-www-form-urlencoded, else 415; Request::form()
    Raw   ///< any bytes, read by the handler as they come: Request::rawBody(). No Idempotency-Key (422).
};

using Handler = std::function<Response(Request&)>;

/// Is asked with the head of a request, before its body is received: throws the ApiError with which it is refused. It
/// may read from the database; body(), form() and rawBody() throw std::logic_error. What it returns, such as a place
/// that is taken, is the handler's Request::admission(), and is destroyed when the request has ended, also when its
/// body does not come. Thread: any.
using Admit = std::function<std::shared_ptr<void>(Request&)>;

/// An error that a route's page is to tell of. Lifetime: the call's.
struct SUPPLIERD_API FailedRequest {
    int status;
    std::string_view code;    ///< "NOT_FOUND"
    std::string_view message; ///< public: of an internal error always "Internal error"
    const std::vector<Detail>& details;
    std::string_view requestId;
    const RequestHead& head;
    Reserved reserved = {};
};

/// Thread: any. Lifetime: as a handler's.
using ErrorPage = std::function<Response(const FailedRequest&)>;

/// One route. `pattern` is relative to the audience's base path: "/products/{id:int}", "/files/{name}". An `int`
/// parameter matches 1 to 9223372036854775807 without leading zeros; anything else there is no match, so 404. A text
/// parameter matches any segment but "", "." and ".."; it is decoded, so it may hold a '/' that came as %2F. The last
/// segment may be a rest, "/shop/{rest...}": it matches all that follows "/shop/", also nothing ("/shop/", but not
/// "/shop"), decoded, with single slashes between its segments, none of which is "." or ".." or holds a '/' of its own;
/// any other path there is 404. A GET route answers HEAD too.
struct SUPPLIERD_API Route {
    Method method = Method::Get;
    std::string pattern{};
    Audience audience = Audience::Supplier;
    /// The scope that the caller needs ("products:read"); empty for none. On a public route it asks for a caller whom a
    /// RequestAuthenticator knows: 401 without one.
    std::string scope{};
    Body body = Body::None;
    Handler handler{};
    /// Bytes that a body may have; 0: the server's `body_limit`, and 16 KiB of a caller who is not known.
    std::int64_t maxBody = 0;
    /// Content types of a Body::Raw, "text/csv"; empty: any. Others are 415.
    std::vector<std::string> accepts{};
    /// Answers instead of the envelope whenever a request for this route fails, in the pipeline (401, 403, 413, 429,
    /// ...) or in its handler: a text (Response::html(), text(), redirect()) with any status. Empty: the envelope,
    /// which also a request with an Idempotency-Key gets. An unknown path has no route; "{rest...}" makes it one.
    ErrorPage errorPage{};
    /// Of a public route: requests a minute from one address, counted for this route alone. 0: those of all public
    /// routes together are counted, against the server's `rate_limit.public_per_minute`; -1: no limit.
    std::int64_t perMinute = 0;
    /// For large bodies: refuses those that there is no place for. Empty: all are admitted.
    Admit admit{};
    Reserved reserved = {};
};

/// Something that a key may be allowed: "notes:read". The name is two parts of a-z, 0-9 and - with a colon between
/// them.
struct SUPPLIERD_API Scope {
    std::string name{};
    std::string summary{}; ///< "Read notes"
    Reserved reserved = {};
};

/// One numbered SQL file. Statements end with ';' at the end of a line. Expand, then contract: the previous release
/// runs on the new schema, but for files whose first line is "-- contract", which wait for `supplierctl migrate
/// --contract`.
struct SUPPLIERD_API Migration {
    int number = 0;
    std::string name{};
    std::string sql{};
    Reserved reserved = {};
};

/// Static facts about a plugin; nothing here may depend on configuration or touch the outside.
struct SUPPLIERD_API PluginDescription {
    std::string summary;
    std::vector<ConfigKey> config;
    std::vector<Migration> migrations;
    /// Plugins that must be enabled and start first (their tables exist when these migrations run). A service's id
    /// ("vendor.thing/1") stands for the plugin that offers it.
    std::vector<std::string> needs;
    /// Plugins, or offerers of services, that start first when they are enabled.
    std::vector<std::string> after;
    /// Ids of the services this plugin publishes in start().
    std::vector<std::string> offers;
    std::vector<Route> routes;
    /// An OpenAPI 3 document of the routes, as JSON; "" for none. The host joins it with those of the other plugins,
    /// and adds what it does on every route.
    std::string openapi;
    /// Scopes that keys can be given where this plugin is enabled. A key without a list has them too. Several plugins
    /// may declare the same one.
    std::vector<Scope> scopes;
    /// A SELECT of the files of pictures that rows of this plugin's tables need: the path below the folder of pictures,
    /// and the bytes. `supplierctl backup verify` looks whether a backup has them. "" for none.
    std::string storedFiles;
    /// For a database that was restored: statements after which the plugin's tables give no number again that was given
    /// since the backup, for `supplierctl backup restore` and `renumber`, which start no plugin. Before them each
    /// supplier's change number, and the marketplace's, was raised by what each `?` stands for: "UPDATE notes_entries
    /// SET version = version + ?". Rows with numbers of changes get new ones up to their supplier's, in the order that
    /// they had, a hundred rows to one: `{last_changes}` in a statement stands for a table with the columns supplier_id
    /// and change_seq. May run more than once. AUTO_INCREMENT is raised without.
    std::vector<std::string> renumber;
    Reserved reserved;
};

/// A plugin. One instance per process; the host calls, from one thread and in this order:
/// describe() → configure() → start() → ready() → [handlers, on any thread] → drain() → [no handler runs] → stop().
/// stop() also follows a start() that threw. An exception from configure() or start() stops the server at boot with its
/// message, unless the plugin's configuration says `optional = true`; one from ready() stops it in any case, and one
/// from drain() is a warning in the log. A function that a later minor appends is called only on plugins whose note
/// says that they were built for that minor. Since 1.0.
class SUPPLIERD_API Plugin {
public:
    virtual ~Plugin() = default;

    virtual PluginDescription describe() = 0;
    /// With the values of `[plugins.<id>]`, already checked against the schema. Throw ConfigError to refuse them.
    virtual void configure(const Config& config) { static_cast<void>(config); }
    virtual void start(Host& host) = 0;
    /// All plugins are started; the listener opens next.
    virtual void ready() {}
    /// The listener is closed; requests are finishing. Stop background work that takes new work.
    virtual void drain() {}
    virtual void stop() noexcept {}
};

/// The type of the one exported symbol. Returns a new plugin; the host deletes it through its virtual destructor.
using PluginEntry = Plugin* (*)();

} // namespace supplierd

/// Defines the plugin: its note and its entry. Once per shared library, at namespace scope:
///     SUPPLIERD_PLUGIN("wishlist", "1.2.0", WishlistPlugin)
/// The id is 1-32 of [a-z0-9-] and is the plugin's name in the configuration, in logs and in `plugins-enabled/`.
#define SUPPLIERD_PLUGIN(ID, VERSION, TYPE)                                                                            \
    SUPPLIERD_PLUGIN_NOTE(ID, VERSION)                                                                                 \
    extern "C" __attribute__((visibility("default"))) supplierd::Plugin* supplierd_plugin_entry() {                    \
        return std::make_unique<TYPE>().release();                                                                     \
    }
