#include "CurlCommand.h"

#include "RecordedBody.h"

#include <array>

namespace supplierd::history {

namespace {

constexpr std::string_view NEXT = " \\\n  ";

/// Printable, or a line end or a tab: what survives copying and pasting between quotes.
bool isPlainText(std::string_view text) {
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F)
            return false;
    }
    return isUtf8(text);
}

/// A format for printf of sh that prints these bytes.
std::string printfFormat(std::string_view bytes) {
    std::string format = "'";
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        const bool isDirect = byte >= 0x20 && byte < 0x7F && c != '\'' && c != '\\' && c != '%' &&
                              !(c == '-' && format.size() == 1); // an option
        if (isDirect) {
            format += c;
            continue;
        }
        if (c == '%') {
            format += "%%";
            continue;
        }
        const std::array<char, 4> octal{'\\', static_cast<char>('0' + (byte >> 6)),
                                        static_cast<char>('0' + ((byte >> 3) & 7)),
                                        static_cast<char>('0' + (byte & 7))};
        format.append(octal.data(), octal.size());
    }
    return format + "'";
}

} // namespace

std::string shellQuoted(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text) {
        if (c == '\'')
            quoted += "'\\''";
        else
            quoted += c;
    }
    return quoted + "'";
}

std::string curlCommand(const ReplayedRequest& request) {
    std::string url(request.origin);
    url += request.path;
    if (!request.query.empty())
        url.append("?").append(request.query);

    std::string command = "curl --globoff --path-as-is";
    if (request.method == "HEAD")
        command += " --head";
    else if (request.method != "GET")
        command.append(" -X ").append(shellQuoted(request.method));
    command.append(" ").append(shellQuoted(url)).append(NEXT).append("-H \"Authorization: Bearer $KEY\"");
    const bool takesBody = request.method == "POST" || request.method == "PUT" || request.method == "PATCH";
    if (request.bodySize == 0 && !takesBody)
        return command;

    // Without a value curl sends none, instead of that of a form.
    const std::string type = request.contentType ? " " + std::string(*request.contentType) : std::string();
    command.append(NEXT).append("-H ").append(shellQuoted("Content-Type:" + type)).append(NEXT);
    if (!request.body)
        return command.append("--data-binary @").append(BODY_FILE);
    if (isPlainText(*request.body))
        return command.append("--data-raw ").append(shellQuoted(*request.body));
    return "printf " + printfFormat(*request.body) + " |" + std::string(NEXT) + command + "--data-binary @-";
}

} // namespace supplierd::history
