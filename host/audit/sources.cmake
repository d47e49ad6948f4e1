target_sources(supplierd-host PRIVATE
    ${CMAKE_CURRENT_LIST_DIR}/AuditStore.cpp)
