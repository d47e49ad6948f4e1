#include "host/ctl/client/CommandCall.h"

#include "host/ctl/client/JobFollower.h"
#include "host/ctl/client/ResponsePrinter.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/OpenFile.h"
#include "host/ctl/terminal/Terminal.h"

#include <Poco/UUIDGenerator.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

namespace supplierd::host {

namespace {

/// Numbers are added up, lists go on; of all else the last counts.
void addTo(ResponseJson& whole, ResponseJson piece) {
    if (whole.is_null()) {
        whole = std::move(piece);
        return;
    }
    for (auto& [name, value] : piece.items()) {
        auto& sum = whole[name];
        if (sum.is_number_integer() && value.is_number_integer())
            sum = sum.get<std::int64_t>() + value.get<std::int64_t>();
        else if (sum.is_array() && value.is_array())
            sum.insert(sum.end(), value.begin(), value.end());
        else
            sum = std::move(value);
    }
}

} // namespace

void CommandCall::run() {
    _inputs.check();
    confirm();
    if (_row.value("each", false))
        runEach();
    else
        runOnce(_inputs.places());
}

void CommandCall::confirm() {
    if (!_row.contains("confirm") || _inputs.isSure)
        return;
    const auto places = _inputs.places();
    const auto& rule = _row["confirm"];
    if (const auto condition = textAt(rule, "if"); !condition.empty() && !holds(places, condition))
        return;
    if (_context.json || !_context.isInteractive())
        throw CommandFailure("nothing was done: this cannot be undone, and nobody can be asked, so give --yes too",
                             ExitCode::Usage);
    if (!Terminal().confirm(terminalText(filledIn(textAt(rule, rule.is_string() ? "" : "text"), {}, places)), false))
        throw CommandFailure("nothing was done");
}

/// Each by itself: one that cannot be done does not keep the others from it.
void CommandCall::runEach() {
    const auto all = _inputs.each();
    if (all.size() == 1)
        return runOnce(_inputs.places(all.front()));
    ResponseJson results = ResponseJson::array();
    auto worst = ExitCode::Ok;
    for (const auto& one : all) {
        ResponseJson result = {{"id", one}, {"done", true}, {"problem", nullptr}};
        try {
            send(_inputs.places(one));
        } catch (const CommandFailure& failure) {
            result["done"] = false;
            result["problem"] = failure.what();
            worst = std::max(worst, failure.exitCode() == ExitCode::Usage ? ExitCode::Failed : failure.exitCode());
        }
        results.push_back(std::move(result));
    }
    _context.print({{"results", std::move(results)}},
                   {{"columns", {{"id", "ID"}, {"done", "DONE"}, {"problem", "PROBLEM"}}}});
    if (worst != ExitCode::Ok)
        throw ReportedFailure{worst};
}

void CommandCall::runOnce(const CommandInputs::Places& places) {
    auto data = send(places);
    bool isGood = true;
    if (_row.contains("save"))
        return;
    if (_row.contains("follow") && _inputs.returnsAtOnce) { // the row describes how it ends
        ResponsePrinter(_context, ResponseJson::object(), places).print(data);
        return;
    }
    if (_row.contains("follow"))
        data = JobFollower(_context, _row.at("follow")).follow(data, isGood);
    if (!(ResponsePrinter(_context, _row, places).print(data) && isGood))
        throw ReportedFailure();
}

ResponseJson CommandCall::send(const CommandInputs::Places& places) {
    ServerRequest request;
    request.method = _row.at("method");
    request.path = _inputs.path(places);
    request.names = _inputs.names();
    std::ifstream file;
    if (_row.contains("upload")) {
        request.contentType = _row["upload"].value("type", "application/json");
        request.upload = &std::cin;
        if (_inputs.file != "-") {
            file.open(_inputs.file, std::ios::binary);
            if (!file || std::filesystem::is_directory(_inputs.file))
                throw CommandFailure("cannot read " + _inputs.file);
            request.upload = &file;
        }
        return _context.connection().data(request);
    }
    if (request.method != "GET")
        return sendBodies(std::move(request));
    if (_row.contains("save")) {
        save(request);
        return {};
    }
    return _inputs.wantsAll ? sendForAllPages(std::move(request)) : _context.connection().data(request);
}

/// The answers of several become one.
ResponseJson CommandCall::sendBodies(ServerRequest request) {
    ResponseJson whole;
    for (auto& body : _inputs.bodies()) {
        request.body = std::move(body);
        request.idempotencyKey = Poco::UUIDGenerator().createRandom().toString();
        addTo(whole, _context.connection().data(request));
    }
    return whole;
}

ResponseJson CommandCall::sendForAllPages(ServerRequest request) {
    const auto path = request.path + (request.path.find('?') == std::string::npos ? "?" : "&");
    ResponseJson all;
    std::string items;
    for (std::string cursor;;) {
        request.path = path + "per_page=100" + (cursor.empty() ? "" : "&cursor=" + urlEncoded(cursor));
        auto page = _context.connection().data(request);
        if (all.is_null()) {
            all = page;
            items = listIn(page);
        } else {
            for (auto& item : page.at(items))
                all[items].push_back(std::move(item));
        }
        const auto before = std::exchange(cursor, textAt(page, "pagination.next_cursor"));
        if (!cursor.empty() && cursor == before)
            throw CommandFailure("the list of the server does not end");
        if (cursor.empty()) {
            all.erase("pagination");
            return all;
        }
    }
}

/// Under its own name only once it is whole.
void CommandCall::save(ServerRequest& request) {
    const auto send = [&](const std::function<void(std::string_view)>& to) {
        constexpr int FIRST_BAD = 300;
        request.save = to;
        if (const auto answer = _context.connection().send(request); answer.status >= FIRST_BAD)
            throw ServerConnection::failureOf(answer, request.names);
    };
    if (_inputs.file == "-")
        return send([&](std::string_view piece) { _context.out() << piece; });
    // Nobody else's file, and none that a link of somebody else leads to.
    const auto unfinished = fmt::format("{}.part-{}", _inputs.file, ::getpid());
    const InterruptFlag interrupt;
    OpenFile file(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH);
    try {
        send([&](std::string_view piece) {
            if (interrupt.isRaised())
                throw CommandFailure("interrupted; nothing is left of " + _inputs.file);
            file.write(piece);
        });
        file.close();
        std::filesystem::rename(unfinished, _inputs.file);
    } catch (...) {
        std::error_code ignored;
        std::filesystem::remove(unfinished, ignored);
        throw;
    }
    _context.err() << "written: " << terminalText(_inputs.file) << "\n";
}

} // namespace supplierd::host
