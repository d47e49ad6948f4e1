#include "ReferencePage.h"

#include "ApiSchema.h"
#include "Markdown.h"
#include "RequestCode.h"

#include <supplierd/Html.h>

#include <Poco/URI.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace supplierd::apidocs {

namespace {

constexpr std::array<std::string_view, 5> METHODS = {"get", "post", "put", "patch", "delete"};
/// Becomes the server that the page came from.
constexpr const char* SERVER = "https://api.example.com";
/// What separates the parts of a URL.
constexpr const char* RESERVED = "/?#&=+:;@";
constexpr const char* JSON_TYPE = "application/json";

std::string element(const std::string& name, const std::string& content) {
    return "<" + name + ">" + content + "</" + name + ">\n";
}

std::string upper(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

/// What is chosen of the content types of a body: JSON, or the first. Nothing when programs cannot quote its name.
std::pair<std::string, Json> mainContent(const Json& part) {
    const Json& content = member(part, "content");
    if (content.empty())
        return {"", Json::object()};
    const auto json = content.find(JSON_TYPE);
    const auto chosen = json == content.end() ? content.begin() : json;
    const bool isQuotable = std::all_of(chosen.key().begin(), chosen.key().end(), [](unsigned char c) {
        return std::isalnum(c) != 0 ||
               std::string_view("_.+/-; =").find(static_cast<char>(c)) != std::string_view::npos;
    });
    return isQuotable ? std::pair{chosen.key(), *chosen} : std::pair{std::string(), Json::object()};
}

std::string textOf(const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump(2);
}

bool isText(const std::string& type) {
    return type.empty() || type == JSON_TYPE || type.starts_with("text/");
}

/// A member that is a text, else "".
std::string text(const Json& part, std::string_view name) {
    const Json& value = member(part, name);
    return value.is_string() ? value.get<std::string>() : "";
}

class Reference {
public:
    explicit Reference(const std::string& text) : _document(Json::parse(text)), _schemas(_document) {}

    ReferencePage page() {
        for (const Json& tag : member(_document, "tags"))
            _tags.emplace_back(textOf(member(tag, "name")), text(tag, "description"));
        for (const auto& [path, item] : _document["paths"].items())
            for (const std::string_view method : METHODS)
                if (item.contains(method))
                    add(item[std::string(method)], upper(std::string(method)), path,
                        [&, &path = path, &item = item] { return operation(path, std::string(method), item); });
        std::map<std::string, std::string> operations = std::exchange(_operations, {});
        std::map<std::string, std::string> links = std::exchange(_links, {});
        for (const auto& [name, item] : member(_document, "webhooks").items())
            for (const auto& [method, one] : item.items())
                if (one.is_object())
                    add(one, "POST", name, [&, &name = name, &one = one] { return message(name, one); });
        ReferencePage page;
        page.problems = std::move(_problems);
        for (const auto& [tag, description] : _tags)
            addSection(page, tag, description, operations[tag], links[tag]);
        for (const auto& [tag, messages] : _operations)
            addSection(page, tag + ": messages", "The server sends these to the URL that you registered.", messages,
                       _links[tag]);
        page.content += common("errors", "Errors of many operations", "responses");
        page.content += common("headers", "Headers of responses", "headers");
        return page;
    }

private:
    void add(const Json& operation, const std::string& method, const std::string& path,
             const std::function<std::string()>& shown) {
        const std::string tag = textOf(member(operation, "tags").front());
        const std::string id = idOf(operation, path);
        const std::string summary = text(operation, "summary");
        _links[tag] +=
            "<li><a href=\"#" + escapeHtml(id) + "\">" + escapeHtml(summary.empty() ? id : summary) + "</a></li>\n";
        try {
            _operations[tag] += shown();
        } catch (const Json::exception& problem) {
            _problems.push_back(id + ": " + problem.what());
            _operations[tag] += "<article class=\"operation\" id=\"" + escapeHtml(id) + "\">\n<div class=\"about\">\n" +
                                heading(operation, method, path) + "</div>\n</article>\n";
        }
    }

    /// A message may be without an operationId.
    static std::string idOf(const Json& operation, const std::string& name) {
        const std::string id = text(operation, "operationId");
        return id.empty() ? name : id;
    }

    static void addSection(ReferencePage& page, const std::string& name, const std::string& description,
                           const std::string& operations, const std::string& links) {
        if (operations.empty())
            return;
        page.content +=
            "<section>\n" + element("h2", escapeHtml(name)) + markdownHtml(description) + operations + "</section>\n";
        page.menu +=
            "<li><details><summary>" + escapeHtml(name) + "</summary><ul>\n" + links + "</ul></details></li>\n";
    }

    /// What many operations have in common is said once.
    std::string common(const char* id, const char* title, const char* kind) const {
        const auto statuses = statusesByResponse();
        std::string rows;
        for (const auto& [name, part] : member(_document["components"], kind).items()) {
            const auto found = statuses.find(std::string("#/components/") + kind + "/" + name);
            const std::string status = found == statuses.end() ? "" : "<code>" + escapeHtml(found->second) + "</code> ";
            rows += "<dt>" + status + "<code>" + escapeHtml(name) + "</code></dt><dd>" +
                    inlineHtml(text(part, "description")) + "</dd>\n";
        }
        return rows.empty() ? ""
                            : std::string("<section id=\"") + id + "\">\n" + element("h2", title) + fieldList(rows) +
                                  "</section>\n";
    }

    /// By what operations refer to.
    std::map<std::string, std::string> statusesByResponse() const {
        std::map<std::string, std::string> statuses;
        for (const Json& item : _document["paths"])
            for (const Json& operation : item)
                for (const auto& [status, response] : member(operation, "responses").items())
                    statuses[text(response, "$ref")] = status;
        return statuses;
    }

    static std::string fieldList(const std::string& rows) {
        return rows.empty() ? "" : "<dl class=\"fields\">\n" + rows + "</dl>\n";
    }

    /// Without the host's sentence on the scope, which has a place of its own.
    static std::string descriptionOf(const Json& operation) {
        std::string description = text(operation, "description");
        const std::string sentence = "Needs the scope `" + text(operation, "x-scope") + "`.";
        if (description.ends_with(sentence))
            description.resize(description.size() - sentence.size());
        return description;
    }

    static std::string heading(const Json& operation, const std::string& method, const std::string& path) {
        const std::string id = idOf(operation, path);
        const std::string summary = text(operation, "summary");
        return "<h3><a class=\"header-anchor\" href=\"#" + escapeHtml(id) + "\">" +
               escapeHtml(summary.empty() ? id : summary) + "</a></h3>\n<p class=\"route\"><b class=\"method\">" +
               method + "</b> <code>" + escapeHtml(path) + "</code></p>\n" + markdownHtml(descriptionOf(operation));
    }

    std::string operation(const std::string& path, const std::string& method, const Json& item) const {
        const Json& given = item[method];
        const std::string server = item.value("servers", _document["servers"])[0].value("url", "");
        const std::string base = server == "/" ? "" : server;
        const auto [type, body] = mainContent(_schemas.resolve(member(given, "requestBody")));
        // Nobody can type bytes: there the example names a file that has them.
        const std::string example = sampleBody(type, body);
        const auto& [sample, file] =
            isText(type) ? std::pair(example, std::string()) : std::pair(std::string(), example);
        const std::string attributes =
            " data-method=\"" + upper(method) + "\" data-path=\"" + escapeHtml(base + path) + "\"" +
            (type.empty() ? "" : " data-type=\"" + escapeHtml(type) + "\" data-body=\"" + escapeHtml(sample) + "\"");
        return article(given, upper(method), path, attributes, needs(given),
                       code({upper(method), SERVER + base + samplePath(given, path), hasKey(given), type, sample, file,
                             !isText(response(given).type)}) +
                           responseBlock(given));
    }

    /// @param sample what its third column shows
    std::string article(const Json& given, const std::string& method, const std::string& path,
                        const std::string& attributes, const std::string& needed, const std::string& sample) const {
        return "<article class=\"operation\" id=\"" + escapeHtml(idOf(given, path)) + "\"" + attributes +
               ">\n<div class=\"about\">\n" + heading(given, method, path) + needed + "</div>\n<div>\n" +
               parameters(given) + bodyFields(given) + responseFields(given) + "</div>\n<div class=\"sample\">\n" +
               sample + "</div>\n</article>\n";
    }

    /// "" where only an example could say what it is.
    std::string sampleBody(const std::string& type, const Json& content) const {
        if (type != JSON_TYPE)
            return content.contains("example") || content.contains("examples") ? textOf(exampleOf(content)) : "";
        const std::string body = textOf(exampleOf(content));
        return Json::accept(body) ? body : Json(body).dump();
    }

    /// What the server sends to a URL of the reader's. What it may be answered is of messages alone.
    std::string message(const std::string& name, Json given) const {
        for (Json& response : given["responses"])
            response = Json(_schemas.resolve(response));
        const auto [type, body] = mainContent(_schemas.resolve(member(given, "requestBody")));
        const bool isExample = body.contains("example");
        return article(given, "POST", name, "", "",
                       sampleBlock(isExample ? "Message" : "Sample message", textOf(exampleOf(body))));
    }

    /// The name of the security scheme; "" for none.
    static std::string schemeOf(const Json& operation) {
        const Json& security = member(operation, "security");
        return security.empty() || security.front().empty() ? "" : security.front().begin().key();
    }

    static bool isKey(const std::string& scheme) { return scheme == "apiKey" || scheme == "operatorKey"; }

    /// A public route that has a scope asks for a key too.
    static bool hasKey(const Json& operation) {
        const std::string scheme = schemeOf(operation);
        return isKey(scheme) || (scheme.empty() && !text(operation, "x-scope").empty());
    }

    std::string permissionOf(const Json& operation) const {
        const std::string own = text(operation, "x-permission");
        const std::string scope = text(operation, "x-scope");
        const std::string scheme = schemeOf(operation);
        if (!own.empty())
            return inlineHtml(own);
        if (!scope.empty()) {
            const std::string summary = text(member(_document, "x-scopes"), scope);
            return "<code>" + escapeHtml(scope) + "</code>" + (summary.empty() ? "" : ": ") + escapeHtml(summary) + ".";
        }
        if (scheme.empty())
            return "None. This operation needs no key.";
        if (!isKey(scheme))
            return "This operation uses <code>" + escapeHtml(scheme) + "</code> instead of a key.";
        return scheme == "operatorKey" ? "An operator's key." : "Any key.";
    }

    static std::string limitOf(const Json& operation) {
        const std::string limit = text(operation, "x-limit");
        return limit == "none"      ? "None."
               : limit == "address" ? "Requests are counted for each IP address."
                                    : "One request of the key's hourly limit.";
    }

    std::string needs(const Json& operation) const {
        return "<dl class=\"needs\"><dt>Permission</dt><dd>" + permissionOf(operation) + "</dd><dt>Limit</dt><dd>" +
               limitOf(operation) + "</dd></dl>\n";
    }

    static std::string rows(const std::vector<ApiField>& fields, const std::string& attributes = "") {
        std::string html;
        for (const ApiField& field : fields)
            html += "<dt" + attributes + "><code>" + escapeHtml(field.name) + "</code> <span>" +
                    escapeHtml(field.type) + (field.isRequired ? ", <strong>required</strong>" : "") +
                    "</span></dt><dd>" + inlineHtml(field.description) + "</dd>\n";
        return html;
    }

    static std::string list(const std::string& title, const std::string& rows) {
        return rows.empty() ? "" : element("h4", title) + fieldList(rows);
    }

    static std::string folded(const std::string& title, const std::string& rows) {
        return rows.empty() ? "" : "<details><summary>" + title + "</summary>\n" + fieldList(rows) + "</details>\n";
    }

    std::string parameters(const Json& operation) const {
        std::map<std::string, std::string> places;
        for (const Json& given : member(operation, "parameters")) {
            const Json& one = _schemas.resolve(given);
            const std::string place = one.value("in", "");
            const auto field = _schemas.field(one.value("name", ""), member(one, "schema"),
                                              one.value("required", false), one.value("description", ""));
            places[place] += rows({field}, " data-in=\"" + escapeHtml(place) + "\"");
        }
        return list("Path", places["path"]) + list("Query", places["query"]) + list("Headers", places["header"]);
    }

    std::string bodyFields(const Json& operation) const {
        const Json& body = _schemas.resolve(member(operation, "requestBody"));
        if (!body.is_object())
            return "";
        std::string types;
        for (const auto& [type, content] : member(body, "content").items())
            types += (types.empty() ? "<code>" : ", <code>") + escapeHtml(type) + "</code>";
        const auto content = mainContent(body);
        const std::string fields = rows(_schemas.fields(member(content.second, "schema")));
        const std::string note = inlineHtml(text(body, "description"));
        return element("h4", "Body") + (content.first == JSON_TYPE ? "" : element("p", types)) +
               (note.empty() ? "" : element("p", note)) + fieldList(fields);
    }

    std::string responseFields(const Json& operation) const {
        std::string errors;
        std::string general;
        std::string fields;
        for (const auto& [status, given] : member(operation, "responses").items()) {
            const Json& response = _schemas.resolve(given);
            const std::string description = inlineHtml(text(response, "description"));
            if (!status.starts_with('2') && given.contains("$ref")) {
                general += (general.empty() ? "" : ", ") + escapeHtml(status);
                continue;
            }
            errors += "<dt><code>" + escapeHtml(status) + "</code></dt><dd>" + description + "</dd>\n";
            if (status.starts_with('2') && fields.empty())
                fields = rows(dataFields(member(mainContent(response).second, "schema")));
        }
        if (!general.empty())
            errors +=
                "<dt><code>" + general + "</code></dt><dd>The same for <a href=\"#errors\">many operations</a>.</dd>\n";
        return folded("Fields of the response", fields) + folded("Status codes", errors);
    }

    /// Those of `data`, where the response is in the envelope.
    std::vector<ApiField> dataFields(const Json& schema) const {
        const Json whole = _schemas.whole(schema);
        const Json& properties = member(whole, "properties");
        return _schemas.fields(properties.contains("data") ? properties["data"] : whole);
    }

    Json exampleOf(const Json& content) const {
        if (content.contains("example"))
            return content["example"];
        const Json& examples = member(content, "examples");
        if (!examples.empty() && examples.begin()->contains("value"))
            return (*examples.begin())["value"];
        return content.contains("schema") ? _schemas.sample(content["schema"]) : Json("");
    }

    /// As it was recorded, or with samples of what has to be there.
    std::string samplePath(const Json& operation, std::string path) const {
        if (operation.contains("x-request"))
            return operation["x-request"].get<std::string>();
        std::string query;
        for (const Json& given : member(operation, "parameters")) {
            const Json& one = _schemas.resolve(given);
            const std::string name = one.value("name", "");
            std::string value;
            Poco::URI::encode(textOf(one.contains("example") ? one["example"] : _schemas.sample(member(one, "schema"))),
                              RESERVED, value);
            if (const auto at = path.find("{" + name + "}"); at != std::string::npos)
                path.replace(at, name.size() + 2, value);
            else if (one.value("in", "") == "query" && one.value("required", false))
                query += (query.empty() ? "?" : "&") + name + "=" + value;
        }
        return path + query;
    }

    static std::string code(const SampleRequest& request) {
        std::string html = "<div class=\"examples\">\n";
        for (const LanguageCode& language : requestCode(request))
            html += std::string("<div class=\"example\" data-language=\"") + language.id + "\" data-name=\"" +
                    language.name + "\">\n<p class=\"caption\">" + language.name + "</p><pre tabindex=\"0\"><code>" +
                    escapeHtml(language.code) + "</code></pre>\n</div>\n";
        return html + "</div>\n";
    }

    static std::string sampleBlock(const std::string& title, const std::string& text) {
        return "<p class=\"prints\">" + title + "</p>\n<pre class=\"output\" tabindex=\"0\"><samp>" + escapeHtml(text) +
               "</samp></pre>\n";
    }

    struct SampleResponse {
        std::string status; ///< "" for none
        std::string type;
        Json content;
    };

    /// Of the first success that has an example or is a file; else of an error with an example; else of a success.
    SampleResponse response(const Json& operation) const {
        SampleResponse chosen;
        int best = 0;
        for (const auto& [status, given] : member(operation, "responses").items()) {
            const auto [type, content] = mainContent(_schemas.resolve(given));
            const bool isSuccess = status.starts_with('2');
            const bool says = content.contains("example") || !isText(type);
            const int worth = isSuccess ? (says ? 3 : 1) : says ? 2 : 0;
            if (worth > best)
                chosen = {status, type, content};
            best = std::max(best, worth);
        }
        return chosen;
    }

    std::string responseBlock(const Json& operation) const {
        const auto [status, type, content] = response(operation);
        if (status.empty())
            return "";
        const bool isMade = isText(type) && !content.contains("example");
        return sampleBlock((isMade ? "Sample response: " : "Response: ") + escapeHtml(status) + ", <code>" +
                               escapeHtml(type) + "</code>",
                           isText(type) ? textOf(exampleOf(content)) : "The body is a file.");
    }

    Json _document;
    ApiSchemas _schemas;
    std::vector<std::pair<std::string, std::string>> _tags;
    std::map<std::string, std::string> _operations; ///< by tag
    std::map<std::string, std::string> _links;
    std::vector<std::string> _problems;
};

} // namespace

ReferencePage referencePage(const std::string& document) {
    return Reference(document).page();
}

} // namespace supplierd::apidocs
