#include "RequestCode.h"

#include <string_view>

namespace supplierd::apidocs {

namespace {

std::string replaced(std::string text, std::string_view what, std::string_view by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
        text.replace(at, what.size(), by);
    return text;
}

bool isJson(const SampleRequest& request) {
    return request.contentType == "application/json";
}

std::string shell(const SampleRequest& request) {
    std::string code = "curl -sS";
    if (request.method != "GET")
        code += " -X " + request.method;
    code += " '" + replaced(request.url, "'", "%27") + "'";
    if (request.hasKey)
        code += " \\\n    -H \"Authorization: Bearer $KEY\"";
    if (!request.body.empty())
        code += " \\\n    -H 'Content-Type: " + request.contentType + "' \\\n    --data-binary '" +
                replaced(request.body, "'", "'\\''") + "'";
    return code;
}

std::string javaScript(const SampleRequest& request) {
    std::string options;
    if (request.method != "GET")
        options += "  method: \"" + request.method + "\",\n";
    std::string headers;
    if (request.hasKey)
        headers += "    Authorization: `Bearer ${process.env.KEY}`,\n";
    if (!request.body.empty())
        headers += "    \"Content-Type\": \"" + request.contentType + "\",\n";
    if (!headers.empty())
        options += "  headers: {\n" + headers + "  },\n";
    if (!request.body.empty()) {
        const std::string text = replaced(replaced(replaced(request.body, "\\", "\\\\"), "`", "\\`"), "${", "\\${");
        options += isJson(request) ? "  body: JSON.stringify(" + replaced(request.body, "\n", "\n  ") + "),\n"
                                   : "  body: `" + text + "`,\n";
    }
    return "const response = await fetch(\"" + request.url + "\"" + (options.empty() ? "" : ", {\n" + options + "}") +
           ");\nconsole.log(await response.text());";
}

std::string php(const SampleRequest& request) {
    std::string options = "    CURLOPT_RETURNTRANSFER => true,\n";
    if (request.method != "GET")
        options += "    CURLOPT_CUSTOMREQUEST => '" + request.method + "',\n";
    std::string headers;
    if (request.hasKey)
        headers += "        'Authorization: Bearer ' . getenv('KEY'),\n";
    if (!request.body.empty())
        headers += "        'Content-Type: " + request.contentType + "',\n";
    if (!headers.empty())
        options += "    CURLOPT_HTTPHEADER => [\n" + headers + "    ],\n";
    if (!request.body.empty())
        options += "    CURLOPT_POSTFIELDS => <<<'BODY'\n" + request.body + "\nBODY,\n";
    return "<?php\n$curl = curl_init('" + replaced(request.url, "'", "%27") + "');\ncurl_setopt_array($curl, [\n" +
           options + "]);\necho curl_exec($curl);";
}

std::string python(const SampleRequest& request) {
    std::string code = "import os\nfrom urllib.request import Request, urlopen\n\n";
    if (!request.body.empty())
        code += "body = r\"\"\"" + request.body + "\"\"\"\n";
    code += "request = Request(\n    \"" + request.url + "\",\n    method=\"" + request.method + "\",\n";
    std::string headers;
    if (request.hasKey)
        headers += "        \"Authorization\": \"Bearer \" + os.environ[\"KEY\"],\n";
    if (!request.body.empty())
        headers += "        \"Content-Type\": \"" + request.contentType + "\",\n";
    if (!headers.empty())
        code += "    headers={\n" + headers + "    },\n";
    if (!request.body.empty())
        code += "    data=body.encode(),\n";
    return code + ")\nprint(urlopen(request).read().decode())";
}

} // namespace

std::array<LanguageCode, 4> requestCode(const SampleRequest& request) {
    return {{{"sh", "curl", shell(request)},
             {"js", "JavaScript", javaScript(request)},
             {"php", "PHP", php(request)},
             {"python", "Python", python(request)}}};
}

} // namespace supplierd::apidocs
