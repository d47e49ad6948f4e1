#pragma once

#include <supplierd/Database.h>
#include <supplierd/Errors.h>

#include <exception>

namespace supplierd::host {

/// A failure that several threads waited for, as an exception of the caller's own: what one does with it no other
/// thread sees. One of another type than the database layer throws stays the one that they share.
inline std::exception_ptr ownCopy(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const ApiError& error) {
        return std::make_exception_ptr(error);
    } catch (const DatabaseError& error) {
        return std::make_exception_ptr(error);
    } catch (...) {
        return failure;
    }
}

} // namespace supplierd::host
