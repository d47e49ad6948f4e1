#include "host/ctl/resources/OrderImport.h"

namespace supplierd::host {

namespace {

std::string orderNumberOf(const JsonObject& order) {
    const auto number = order.get("order_number");
    return std::string(number.isText() ? number.text() : std::string_view());
}

/// The order is to blame, not the surroundings.
bool isRefusal(const ApiError& error) {
    switch (error.kind()) {
    case ErrorKind::BadRequest:
    case ErrorKind::NotFound:
    case ErrorKind::Conflict:
    case ErrorKind::PayloadTooLarge:
    case ErrorKind::Validation:
        return true;
    default:
        return false;
    }
}

} // namespace

ImportOutcome OrderImport::run(const OrderFile& orders, const Hooks& hooks) {
    ImportOutcome outcome;
    outcome.total = orders.size();
    for (std::size_t i = 0; i < orders.size(); ++i) {
        outcome.stopReason = hooks.stopReason(outcome);
        if (!outcome.stopReason.empty())
            break;
        try {
            placeNext(orders.order(i).root(), outcome);
        } catch (const std::exception& failure) {
            if (outcome.done() == 0)
                throw;
            outcome.stopReason = failure.what();
            break;
        }
        hooks.afterEach(outcome);
    }
    return outcome;
}

void OrderImport::placeNext(const JsonValue& order, ImportOutcome& outcome) {
    ImportFailure failure{outcome.done() + 1, "", "", {}};
    if (!order.isObject()) {
        failure.message = "an order must be a JSON object";
        outcome.failures.push_back(std::move(failure));
        return;
    }
    const auto object = order.object();
    failure.orderNumber = orderNumberOf(object);
    try {
        ++(place(object) ? outcome.created : outcome.existing);
        return;
    } catch (const ApiError& error) {
        if (!isRefusal(error))
            throw;
        failure.message = error.message();
        failure.details = error.details();
    } catch (const DatabaseError& error) {
        if (!error.isRetryable())
            throw;
        failure.message = std::string("others held it up time and again: ") + error.what();
    }
    outcome.failures.push_back(std::move(failure));
}

bool OrderImport::place(const JsonObject& order) {
    bool isNew = false;
    _database.withTransaction([&](Transaction& transaction) { isNew = _book.place(transaction, order, _actor).isNew; });
    return isNew;
}

} // namespace supplierd::host
