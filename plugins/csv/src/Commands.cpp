#include "Commands.h"

#include "exports/ProductExport.h"

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace supplierd::csv {

namespace {

constexpr std::chrono::milliseconds LOOK_AGAIN{200};
constexpr int LOOKS_BEFORE_HINT = 50;
constexpr std::size_t BUFFER = 64 * 1'024;

std::string messageOf(const ApiError& error) {
    std::string message;
    for (const Detail& detail : error.details())
        message.append(message.empty() ? "" : "\n").append(detail.message);
    return message.empty() ? error.message() : message;
}

/// What throws ApiError, told as a command's failure.
template <class Work>
auto reported(const Work& work) {
    try {
        return work();
    } catch (const ApiError& error) {
        throw CommandError(messageOf(error), error.kind() == ErrorKind::Validation ? CommandError::Code::Usage
                                                                                   : CommandError::Code::Failed);
    }
}

std::int64_t supplierOf(const CommandRun& run, Accounts& accounts, Database& database) {
    const std::int64_t id = run.integer("--supplier").value_or(0);
    if (!database.read([&](SqlSession& session) { return accounts.findSupplier(session, id); }))
        throw CommandError("there is no supplier " + std::to_string(id) + "; see `supplierctl supplier list`");
    return id;
}

// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
void exportProducts(ProductBatches& products, Accounts& accounts, Database& database, CommandRun& run) {
    const std::string file = run.text("FILE").value_or("");
    const CsvStyle style{run.flag("--semicolon") ? ';' : ',', run.flag("--decimal-comma") ? ',' : '.'};
    const std::int64_t supplier = supplierOf(run, accounts, database);
    auto walk = reported([&] { return products.walk(database, supplier, run.text("--query").value_or("")); });
    const std::int64_t total = walk->total();
    std::ofstream out(file, std::ios::binary | std::ios::trunc); // not before it is known that there is what to write
    if (!out)
        throw CommandError("cannot write " + file);
    ProductExport stream(std::move(walk), style);
    std::array<char, BUFFER> buffer{};
    for (std::size_t size = stream.read(buffer); size > 0; size = stream.read(buffer)) {
        out.write(buffer.data(), static_cast<std::streamsize>(size));
        run.progress(stream.written(), total);
    }
    out.close();
    if (!out)
        throw CommandError("cannot write all of " + file);
    run.print("Exported " + std::to_string(stream.written()) + " products to " + file);
}

CommandTable tableOf(const ImportRecord& import, const std::vector<FailedRow>& failed) {
    using Kind = CommandTable::Kind;
    CommandTable table{"imports",
                       {{"id", "IMPORT", Kind::Integer},
                        {"state", "STATE"},
                        {"dry_run", "DRY RUN", Kind::Boolean},
                        {"created", "CREATED", Kind::Integer},
                        {"updated", "UPDATED", Kind::Integer},
                        {"unchanged", "UNCHANGED", Kind::Integer},
                        {"failed", "FAILED", Kind::Integer},
                        {"unfetched_images", "", Kind::Integer},
                        {"errors", "", Kind::Json}},
                       {},
                       ""};
    std::string errors;
    JsonWriter json(errors);
    json.beginArray();
    for (const FailedRow& row : failed)
        json.beginObject().field("row", row.row).field("sku", row.sku).key("details").raw(row.details).endObject();
    json.endArray();
    table.rows.push_back({std::to_string(import.id),
                          std::string(IMPORT_STATES.at(static_cast<std::size_t>(import.state))),
                          import.isDryRun ? "true" : "false", std::to_string(import.rows.created),
                          std::to_string(import.rows.updated), std::to_string(import.rows.unchanged),
                          std::to_string(import.rows.failed), std::to_string(import.rows.unfetchedImages), errors});
    return table;
}

ImportRecord waitForEnd(ImportStore& store, std::int64_t id, CommandRun& run) {
    for (int looks = 1;; ++looks) {
        const auto import = store.find(id);
        if (!import)
            throw CommandError("the import was removed");
        run.progress(import->rows.done, import->rowsTotal);
        if (import->hasEnded())
            return *import;
        if (looks == LOOKS_BEFORE_HINT && import->state == ImportState::Waiting)
            run.hint("The import " + std::to_string(id) +
                     " waits for a server that runs it; Ctrl-C leaves it waiting.");
        std::this_thread::sleep_for(LOOK_AGAIN);
    }
}

void importProducts(ImportStore& store, ImportIntake& intake, Accounts& accounts, CommandRun& run) {
    const std::filesystem::path file = run.text("FILE").value_or("");
    std::ifstream in(file, std::ios::binary);
    if (!in || std::filesystem::is_directory(file))
        throw CommandError("cannot read " + file.string());
    ImportRecord import;
    import.supplierId = supplierOf(run, accounts, store.database());
    import.isDryRun = run.flag("--dry-run");
    import.clearsEmpty = run.flag("--clear-empty");
    import.fileName = file.filename().string();
    import.actor = {run.actor(), {}, Actor::Kind::Administrator};
    GivenFormat format;
    if (const auto sign = run.text("--decimal")) {
        if (*sign != "comma" && *sign != "point")
            throw CommandError("--decimal is point or comma", CommandError::Code::Usage);
        format.decimalSign = *sign == "comma" ? ',' : '.';
    }
    std::int64_t id = 0;
    const auto read = [&](std::span<char> to) {
        in.read(to.data(), static_cast<std::streamsize>(to.size()));
        if (in.bad())
            throw CommandError("cannot read all of " + file.string());
        return static_cast<std::size_t>(in.gcount());
    };
    try {
        intake.take(import, format, read, [&](const ImportRecord& taken) {
            store.database().withTransaction([&](Transaction& transaction) { intake.enqueue(transaction, taken); });
            id = taken.id;
        });
    } catch (const ApiError& error) { // of the file, not of the command
        throw CommandError(messageOf(error));
    }
    const ImportRecord ended = waitForEnd(store, id, run);
    const auto failed =
        store.database().read([&](SqlSession& session) { return ImportStore::errors(session, id, 0, 100); });
    run.print(tableOf(ended, failed));
    for (const FailedRow& row : failed)
        run.hint("row " + std::to_string(row.row) + ": " + reasonsOf(row));
    if (ended.rows.unfetchedImages > 0)
        run.hint(std::to_string(ended.rows.unfetchedImages) + " images were not fetched: the import itself does that");
    if (ended.state != ImportState::Done)
        throw CommandError(ended.problem.value_or("the import was cancelled"));
    if (ended.rows.failed > 0)
        throw CommandError(std::to_string(ended.rows.failed) + " rows could not be imported");
}

} // namespace

void addCommands(Operations& operations, ImportStore& store, ImportIntake& intake, ProductBatches& products,
                 Accounts& accounts) {
    using Kind = CommandOption::Kind;
    const CommandOption supplier{"--supplier", "The id of the supplier whose products they are", Kind::Integer, true};
    operations.addCommand({"export",
                           "Write a supplier's products into a CSV file",
                           {supplier,
                            {"FILE", "Where to", Kind::Text, true},
                            {"--query", "Filters and sort of GET /products: \"status=active&sort=name\""},
                            {"--semicolon", "Separate cells by semicolons instead of commas", Kind::Flag},
                            {"--decimal-comma", "Write decimal commas", Kind::Flag}},
                           [&](CommandRun& run) { exportProducts(products, accounts, store.database(), run); },
                           "product"});
    operations.addCommand({"import",
                           "Create and change a supplier's products from a CSV file; a running server does the work",
                           {supplier,
                            {"FILE", "Which", Kind::Text, true},
                            {"--dry-run", "Only say what would change", Kind::Flag},
                            {"--clear-empty", "Empty cells clear their fields", Kind::Flag},
                            {"--decimal", "point or comma, where it cannot be found out"}},
                           [&](CommandRun& run) { importProducts(store, intake, accounts, run); },
                           "product"});
}

} // namespace supplierd::csv
