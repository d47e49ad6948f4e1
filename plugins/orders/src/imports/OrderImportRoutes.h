#pragma once

#include "imports/OrderImportStore.h"

#include <supplierd/Plugin.h>
#include <supplierd/services/Jobs.h>

#include <functional>
#include <vector>

namespace supplierd::orders {

/// POST /order-imports and what is below it. What it is made with outlives it. Thread: any.
class OrderImportRoutes {
public:
    OrderImportRoutes(OrderImportStore& store, Jobs& jobs) : _store(store), _jobs(jobs) {}

    /// `self` is asked by the handlers.
    static void add(std::vector<Route>& routes, const std::function<OrderImportRoutes&()>& self);

private:
    Response upload(Request& request);
    Response list(Request& request);
    Response read(Request& request);
    Response cancel(Request& request);
    static Response show(Request& request, SqlSession& session, std::int64_t id);

    OrderImportStore& _store;
    Jobs& _jobs;
};

} // namespace supplierd::orders
