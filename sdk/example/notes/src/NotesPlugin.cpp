#include <supplierd/Csv.h>
#include <supplierd/Html.h>
#include <supplierd/Plugin.h>
#include <supplierd/services/Jobs.h>
#include <supplierd/services/Products.h>

#include <notesDescription.h>

namespace notes {

using namespace supplierd;

constexpr TextRule TEXT{.maxCodePoints = 1'000, .required = true};
constexpr std::string_view INSERT_NOTE = "INSERT INTO notes_entries (supplier_id, product_id, text) VALUES (?, ?, ?)";
constexpr std::string_view SELECT_OF_PRODUCT = R"(
    SELECT id, text, created_at FROM notes_entries
    WHERE supplier_id = ? AND product_id = ? ORDER BY id DESC LIMIT 100)";
constexpr std::string_view SELECT_OF_SUPPLIER = R"(
    SELECT product_id, created_at, text FROM notes_entries WHERE supplier_id = ? ORDER BY id DESC LIMIT 100)";
constexpr std::string_view DELETE_OLD = R"(
    DELETE FROM notes_entries WHERE created_at < NOW() - INTERVAL ? DAY LIMIT 1000)";

class NotesPlugin final : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription about = supplierd_notes_generated::description();
        about.summary = "Suppliers keep notes on their products";
        about.config = {{"keep_days", ConfigType::Integer, "365", "How long a note is kept, in days", 1, 36'500}};
        about.scopes = {{"notes:read", "Read notes"}, {"notes:write", "Write notes"}};

        Route list{Method::Get, "/products/{id:int}/notes", Audience::Supplier, "notes:read"};
        list.handler = [this](Request& request) { return listNotes(request); };
        Route page{Method::Get, "/products/{id:int}/notes.html", Audience::Supplier, "notes:read"};
        page.handler = [this](Request& request) { return showNotes(request); };
        page.errorPage = [](const FailedRequest& error) { return htmlPage(error.message, "", error.status); };
        Route create{Method::Post, "/products/{id:int}/notes", Audience::Supplier, "notes:write", Body::Json};
        create.handler = [this](Request& request) { return createNote(request); };
        Route upload{Method::Post, "/notes.csv", Audience::Supplier, "notes:write", Body::Raw};
        upload.handler = [this](Request& request) { return uploadNotes(request); };
        upload.accepts = {"text/csv"};
        upload.maxBody = 4 << 20;
        Route all{Method::Get, "/suppliers/{id:int}/notes", Audience::Operator};
        all.handler = listOfSupplier;
        about.routes = {list, page, create, upload, all};
        return about;
    }

    void configure(const Config& config) override { _keepDays = config.integer("keep_days"); }

    void start(Host& host) override {
        _products = &host.require<Products>();
        host.require<Jobs>().add({"remove-old", std::chrono::hours(1), [this](JobRun& run) { removeOld(run); }});
    }

private:
    Response listNotes(Request& request) {
        return request.database().snapshot([&](SqlSession& session) {
            const auto product = _products->require(session, request.principal().supplierId, request.pathInteger("id"));
            Rows& rows = session.query(SELECT_OF_PRODUCT, {product.supplierId, request.pathInteger("id")});
            Response response = request.reply();
            JsonWriter json(response.data);
            json.beginObject().field("product", product.name).key("notes").beginArray();
            while (rows.next()) {
                json.beginObject().field("id", rows.integer(0)).field("text", rows.text(1));
                json.field("created_at", rows.time(2)).endObject();
            }
            json.endArray().endObject();
            return response;
        });
    }

    Response showNotes(Request& request) {
        return request.database().snapshot([&](SqlSession& session) {
            const auto product = _products->require(session, request.principal().supplierId, request.pathInteger("id"));
            Rows& rows = session.query(SELECT_OF_PRODUCT, {product.supplierId, request.pathInteger("id")});
            std::string items;
            while (rows.next())
                items += "<li>" + escapeHtml(rows.text(1)) + " (" + rows.time(2) + ")</li>";
            return htmlPage("Notes on " + product.name, "<ul>" + items + "</ul>");
        });
    }

    Response createNote(Request& request) {
        Details details;
        const auto text = ObjectReader(request.body(), details).text("text", TEXT);
        details.throwIfAny();
        const std::int64_t supplier = request.principal().supplierId;
        return request.transact([&](Transaction& transaction) {
            _products->require(transaction, supplier, request.pathInteger("id"));
            transaction.execute(INSERT_NOTE, {supplier, request.pathInteger("id"), *text.value});
            return Response(201, R"({"id":)" + std::to_string(transaction.lastInsertId()) + "}");
        });
    }

    /// A SKU and a text in each line; all of them are taken, or none.
    Response uploadNotes(Request& request) {
        Details details;
        std::vector<std::string> skus, texts, places;
        CsvReader csv(request.rawBody(), details, {.columns = {"sku", "text"}, .maxRecords = 1'000});
        while (csv.next()) {
            skus.push_back(csv.text("sku", {.required = true}).valueOr(""));
            texts.push_back(csv.text("text", TEXT).valueOr(""));
            places.push_back(csv.place());
        }
        details.throwIfAny();
        const std::int64_t supplier = request.principal().supplierId;
        return request.transact([&](Transaction& transaction) {
            const auto products = _products->bySku(transaction, supplier, skus);
            Details unknown;
            for (std::size_t i = 0; i < skus.size(); ++i)
                if (products[i])
                    transaction.execute(INSERT_NOTE, {supplier, products[i]->productId, texts[i]});
                else
                    unknown.add(places[i], "unknown_reference", places[i] + ": no product has the SKU " + skus[i]);
            unknown.throwIfAny(); // and nothing is committed
            return Response(201, R"({"created":)" + std::to_string(skus.size()) + "}");
        });
    }

    void removeOld(JobRun& run) const {
        const auto remove = [&](Transaction& transaction) { return transaction.execute(DELETE_OLD, {_keepDays}); };
        run.report("removed " + std::to_string(run.inPieces(remove)) + " notes");
    }

    /// `supplierctl notes list`, by openapi.json.
    static Response listOfSupplier(Request& request) {
        return request.database().read([&](SqlSession& session) {
            Rows& rows = session.query(SELECT_OF_SUPPLIER, {request.pathInteger("id")});
            Response response = request.reply();
            JsonWriter json(response.data);
            json.beginObject().key("notes").beginArray();
            while (rows.next()) {
                json.beginObject().field("product_id", rows.integer(0)).field("created_at", rows.time(1));
                json.field("text", rows.text(2)).endObject();
            }
            json.endArray().endObject();
            return response;
        });
    }

    Products* _products = nullptr;
    std::int64_t _keepDays = 0;
};

} // namespace notes

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, notes::NotesPlugin)
