target_sources(supplierd-host PRIVATE
    ${CMAKE_CURRENT_LIST_DIR}/CatalogueGate.cpp
    ${CMAKE_CURRENT_LIST_DIR}/Connector.cpp
    ${CMAKE_CURRENT_LIST_DIR}/ErrorClass.cpp
    ${CMAKE_CURRENT_LIST_DIR}/MigrationRun.cpp
    ${CMAKE_CURRENT_LIST_DIR}/MigrationScript.cpp
    ${CMAKE_CURRENT_LIST_DIR}/Migrator.cpp
    ${CMAKE_CURRENT_LIST_DIR}/OutcomeRecord.cpp
    ${CMAKE_CURRENT_LIST_DIR}/PooledDatabase.cpp
    ${CMAKE_CURRENT_LIST_DIR}/PooledSession.cpp
    ${CMAKE_CURRENT_LIST_DIR}/PreparedStatement.cpp
    ${CMAKE_CURRENT_LIST_DIR}/ResultColumn.cpp
    ${CMAKE_CURRENT_LIST_DIR}/SchemaHistory.cpp
    ${CMAKE_CURRENT_LIST_DIR}/SchemaLease.cpp
    ${CMAKE_CURRENT_LIST_DIR}/SchemaRemoval.cpp
    ${CMAKE_CURRENT_LIST_DIR}/SessionHealth.cpp
    ${CMAKE_CURRENT_LIST_DIR}/SessionPool.cpp
    ${CMAKE_CURRENT_LIST_DIR}/SqlScript.cpp
    ${CMAKE_CURRENT_LIST_DIR}/StatementCache.cpp
    ${CMAKE_CURRENT_LIST_DIR}/StatementLimit.cpp
    ${CMAKE_CURRENT_LIST_DIR}/TableChanges.cpp
    ${CMAKE_CURRENT_LIST_DIR}/TransactionRunner.cpp)

file(GLOB migrations CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/../migrations/*.sql)
supplierd_embed_migrations(supplierd-host HEADER CoreMigrations.h NAMESPACE supplierd::host::core FILES ${migrations})
