#include <supplierd/Plugin.h>

#include <wishlistDescription.h>

namespace wishlist {

using namespace supplierd;
constexpr std::string_view SELECT_PAGE = R"(
    SELECT id, title, max_price, created_at FROM wishlist_wishes
    WHERE supplier_id = ? ORDER BY id DESC LIMIT ? OFFSET ?)";
constexpr std::string_view INSERT_WISH = R"(
    INSERT INTO wishlist_wishes (supplier_id, title, max_price) VALUES (?, ?, ?))";

class WishlistPlugin final : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription about = supplierd_wishlist_generated::description();
        about.summary = "Suppliers keep a list of what they would like to sell";
        about.config = {
            {"max_title_length", ConfigType::Integer, "120", "Longest title of a wish, in characters", 1, 255}};
        about.scopes = {{"wishes:read", "Read wishes"}, {"wishes:write", "Write wishes"}};
        about.routes = {{Method::Get, "/wishes", Audience::Supplier, "wishes:read", Body::None,
                         [](Request& request) { return list(request); }},
                        {Method::Post, "/wishes", Audience::Supplier, "wishes:write", Body::Json,
                         [this](Request& request) { return create(request); }}};
        return about;
    }

    void configure(const Config& config) override {
        _maxTitleLength = static_cast<std::size_t>(config.integer("max_title_length"));
    }

    void start(Host& host) override { _created = &host.metrics().counter("created_total", "Wishes written"); }

private:
    static Response list(Request& request) {
        Details details;
        const Page page = QueryReader(request.query(), details).page();
        details.throwIfAny();
        Response response = request.reply();
        request.database().withSession([&](SqlSession& session) {
            response.data.clear(); // the work is repeated when the connection was lost
            JsonWriter json(response.data);
            json.beginObject().key("wishes").beginArray();
            Rows& rows = session.query(SELECT_PAGE, {request.principal().supplierId, page.perPage, page.offset()});
            while (rows.next()) {
                json.beginObject().field("id", rows.integer(0)).field("title", rows.text(1));
                json.field("max_price", rows.maybeDecimal(2)).field("created_at", rows.time(3)).endObject();
            }
            json.endArray().endObject();
        });
        return response;
    }

    Response create(Request& request) {
        Details details;
        ObjectReader body(request.body(), details);
        const Field<std::string> title = body.text("title", {_maxTitleLength, true});
        const Field<Decimal> maxPrice = body.decimal("max_price", {});
        details.throwIfAny();

        Response response = request.transact([&](Transaction& transaction) {
            transaction.execute(INSERT_WISH, {request.principal().supplierId, *title.value, maxPrice.value});
            Response created = request.reply(201);
            JsonWriter(created.data).beginObject().field("id", transaction.lastInsertId()).endObject();
            return created;
        });
        _created->add(); // once, here: a transaction may run more than once
        return response;
    }

    std::size_t _maxTitleLength = 0;
    Counter* _created = nullptr;
};

} // namespace wishlist

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, wishlist::WishlistPlugin)
