#include "RequestCode.h"

#include <string_view>
#include <utility>

namespace supplierd::apidocs {

namespace {

std::string replaced(std::string text, std::string_view what, std::string_view by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
        text.replace(at, what.size(), by);
    return text;
}

bool hasBody(const SampleRequest& request) {
    return !request.body.empty() || !request.file.empty();
}

bool isJson(const SampleRequest& request) {
    return request.contentType == "application/json";
}

std::string shell(const SampleRequest& request) {
    std::string code = "curl -sS";
    if (request.method != "GET")
        code += " -X " + request.method;
    code += " '" + request.url + "'";
    if (request.hasKey)
        code += " \\\n    -H \"Authorization: Bearer $KEY\"";
    if (hasBody(request))
        code += " \\\n    -H 'Content-Type: " + request.contentType + "'";
    if (!request.file.empty())
        code += " \\\n    --data-binary '@" + request.file + "'";
    else if (!request.body.empty())
        code += " \\\n    --data-raw '" + replaced(request.body, "'", "'\\''") + "'";
    return code + (request.isFile ? " \\\n    --output response.bin" : "");
}

std::string javaScript(const SampleRequest& request) {
    std::string options;
    if (request.method != "GET")
        options += "  method: \"" + request.method + "\",\n";
    std::string headers;
    if (request.hasKey)
        headers += "    Authorization: `Bearer ${process.env.KEY}`,\n";
    if (hasBody(request))
        headers += "    \"Content-Type\": \"" + request.contentType + "\",\n";
    if (!headers.empty())
        options += "  headers: {\n" + headers + "  },\n";
    if (!request.file.empty()) {
        options += "  body: await (await import(\"node:fs/promises\")).readFile(\"" + request.file + "\"),\n";
    } else if (!request.body.empty()) {
        const std::string text = replaced(replaced(replaced(request.body, "\\", "\\\\"), "`", "\\`"), "${", "\\${");
        options += isJson(request) ? "  body: JSON.stringify(" + replaced(request.body, "\n", "\n  ") + "),\n"
                                   : "  body: `" + text + "`,\n";
    }
    return "const response = await fetch(\"" + request.url + "\"" + (options.empty() ? "" : ", {\n" + options + "}") +
           ");\n" +
           (request.isFile ? "const { writeFile } = await import(\"node:fs/promises\");\n"
                             "await writeFile(\"response.bin\", response.body);"
                           : "console.log(await response.text());");
}

std::string php(const SampleRequest& request) {
    std::string options = "    CURLOPT_RETURNTRANSFER => true,\n";
    if (request.method != "GET")
        options += "    CURLOPT_CUSTOMREQUEST => '" + request.method + "',\n";
    std::string headers;
    if (request.hasKey)
        headers += "        'Authorization: Bearer ' . getenv('KEY'),\n";
    if (hasBody(request))
        headers += "        'Content-Type: " + request.contentType + "',\n";
    if (!headers.empty())
        options += "    CURLOPT_HTTPHEADER => [\n" + headers + "    ],\n";
    std::string mark = "BODY";
    while (request.body.find(mark) != std::string::npos)
        mark += "_";
    if (!request.file.empty())
        options += "    CURLOPT_POSTFIELDS => file_get_contents('" + request.file + "'),\n";
    else if (!request.body.empty())
        options += "    CURLOPT_POSTFIELDS => <<<'" + mark + "'\n" + request.body + "\n" + mark + ",\n";
    return "<?php\n$curl = curl_init('" + request.url + "');\ncurl_setopt_array($curl, [\n" + options + "]);\n" +
           (request.isFile ? "file_put_contents('response.bin', curl_exec($curl));" : "echo curl_exec($curl);");
}

std::string python(const SampleRequest& request) {
    std::string code = std::string("import os\n") +
                       (request.isFile || !request.file.empty() ? "from pathlib import Path\n" : "") +
                       "from urllib.request import Request, urlopen\n\n";
    if (!request.body.empty())
        code += "body = '''" + replaced(replaced(request.body, "\\", "\\\\"), "'", "\\'") + "'''\n";
    code += "request = Request(\n    \"" + request.url + "\",\n    method=\"" + request.method + "\",\n";
    std::string headers;
    if (request.hasKey)
        headers += "        \"Authorization\": \"Bearer \" + os.environ[\"KEY\"],\n";
    if (hasBody(request))
        headers += "        \"Content-Type\": \"" + request.contentType + "\",\n";
    if (!headers.empty())
        code += "    headers={\n" + headers + "    },\n";
    if (!request.file.empty())
        code += "    data=Path(\"" + request.file + "\").read_bytes(),\n";
    else if (!request.body.empty())
        code += "    data=body.encode(),\n";
    return code + (request.isFile ? ")\nPath(\"response.bin\").write_bytes(urlopen(request).read())"
                                  : ")\nprint(urlopen(request).read().decode())");
}

} // namespace

std::array<LanguageCode, 4> requestCode(SampleRequest request) {
    // What would end the quotes of one of the languages.
    for (const auto& [character, code] : {std::pair("'", "%27"), std::pair("\"", "%22"), std::pair("\\", "%5C"),
                                          std::pair("\n", "%0A"), std::pair("\r", "%0D")})
        for (std::string* const text : {&request.url, &request.file})
            *text = replaced(std::move(*text), character, code);
    return {{{"sh", "curl", shell(request)},
             {"js", "JavaScript", javaScript(request)},
             {"php", "PHP", php(request)},
             {"python", "Python", python(request)}}};
}

} // namespace supplierd::apidocs
